-- The database is the interlock: what the engine must never do is refused here, whatever the code says.
CREATE FUNCTION refuse_operation(rule text, detail text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'operation refused: %', replace(rule, '_', ' ')
        USING ERRCODE = 'check_violation', CONSTRAINT = rule, DETAIL = detail;
END $$;

CREATE FUNCTION operation_is_born() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.prev_state := 'new';
    NEW.version := 1;
    IF NEW.certainty <> 'none' OR NEW.epoch <> 0 OR NEW.attempt_no <> 0 OR NEW.arming <> 1 THEN
        PERFORM refuse_operation('a_new_operation_has_no_past', NEW.id::text);
    END IF;
    IF NEW.plan > 1 AND NOT EXISTS (SELECT FROM operations o WHERE o.tenant_id = NEW.tenant_id AND o.id = NEW.replans
            AND o.connection_id = NEW.connection_id AND o.dedupe_key = NEW.dedupe_key
            AND o.plan = NEW.plan - 1 AND o.state = 'failed') THEN
        PERFORM refuse_operation('a_later_plan_replans_a_failed_one', NEW.id::text);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER operation_is_born BEFORE INSERT ON operations FOR EACH ROW EXECUTE FUNCTION operation_is_born();

CREATE FUNCTION operation_may_move() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    by_person bool := NEW.actor LIKE 'person:%';
    moves     bool := NEW.state IS DISTINCT FROM OLD.state;
BEGIN
    NEW.version := OLD.version + 1;
    NEW.prev_state := CASE WHEN moves THEN OLD.state ELSE OLD.prev_state END;
    NEW.changed_at := CASE WHEN moves THEN now() ELSE OLD.changed_at END;
    IF moves AND NEW.state <> 'in_flight' THEN
        NEW.lease_owner := NULL;
        NEW.lease_until := NULL;
    END IF;

    IF (NEW.tenant_id, NEW.id, NEW.event_id, NEW.connection_id, NEW.kind, NEW.dedupe_key, NEW.plan, NEW.lane_key, NEW.lane_seq)
        IS DISTINCT FROM
       (OLD.tenant_id, OLD.id, OLD.event_id, OLD.connection_id, OLD.kind, OLD.dedupe_key, OLD.plan, OLD.lane_key, OLD.lane_seq) THEN
        PERFORM refuse_operation('what_an_operation_is_never_changes', OLD.id::text);
    END IF;
    IF NEW.capability <> OLD.capability AND NEW.capability <> 'neither' THEN
        PERFORM refuse_operation('a_capability_only_falls', OLD.id::text);
    END IF;
    IF NEW.epoch < OLD.epoch OR NEW.attempt_no < OLD.attempt_no OR NEW.arming < OLD.arming THEN
        PERFORM refuse_operation('counters_only_rise', OLD.id::text);
    END IF;

    IF OLD.state IN ('done', 'superseded', 'cancelled') THEN
        IF NOT moves OR NEW.state <> 'needs_reconciliation' OR NOT by_person
            OR OLD.resolution IS NULL OR OLD.changed_at < now() - interval '10 minutes' THEN
            PERFORM refuse_operation('a_finished_operation_is_immutable', OLD.id::text);
        END IF;
        IF EXISTS (SELECT FROM operations f WHERE f.tenant_id = OLD.tenant_id AND f.depends_on = OLD.id AND f.attempt_no > 0) THEN
            PERFORM refuse_operation('what_others_have_built_on_is_not_undone', OLD.id::text);
        END IF;
    END IF;
    IF moves AND NOT EXISTS (SELECT FROM operation_edges e WHERE e.from_state = OLD.state AND e.to_state = NEW.state) THEN
        PERFORM refuse_operation('operation_moves_along_an_edge', OLD.state || ' to ' || NEW.state);
    END IF;

    IF moves AND NEW.state = 'in_flight' THEN
        IF NEW.epoch <> OLD.epoch + 1 OR NEW.attempt_no <> OLD.attempt_no + 1 THEN
            PERFORM refuse_operation('a_claim_is_a_new_epoch_and_attempt', OLD.id::text);
        END IF;
        IF NEW.capability = 'neither' AND OLD.certainty <> 'none' THEN
            PERFORM refuse_operation('no_blind_second_create', OLD.id::text);
        END IF;
    END IF;
    IF moves AND OLD.state = 'needs_reconciliation' AND NOT by_person
        AND NOT (NEW.actor IN ('probe', 'late_answer') AND NEW.state = 'done') THEN
        PERFORM refuse_operation('a_person_a_probe_or_a_late_answer_reconciles', OLD.id::text);
    END IF;
    IF moves AND NEW.state = 'cancelled' AND OLD.state IN ('pending', 'held') AND OLD.certainty <> 'none' THEN
        PERFORM refuse_operation('what_may_have_happened_is_not_cancelled', OLD.id::text);
    END IF;

    IF OLD.certainty = 'possible' AND NEW.certainty = 'none' THEN
        IF NEW.arming = OLD.arming + 1 THEN
            IF NOT by_person OR OLD.state <> 'needs_reconciliation' OR NEW.state <> 'pending' THEN
                PERFORM refuse_operation('only_a_person_permits_one_more_create', OLD.id::text);
            END IF;
        ELSIF NOT EXISTS (SELECT FROM operation_attempts a WHERE a.tenant_id = OLD.tenant_id AND a.operation_id = OLD.id
                AND a.no = OLD.attempt_no AND a.epoch = OLD.epoch AND a.certainty_before = 'none'
                AND a.outcome IN ('not_executed', 'refused', 'stale')) THEN
            PERFORM refuse_operation('doubt_ends_by_proof_or_permit', OLD.id::text);
        END IF;
    ELSIF NEW.arming <> OLD.arming THEN
        PERFORM refuse_operation('only_a_person_permits_one_more_create', OLD.id::text);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER operation_may_move BEFORE UPDATE ON operations FOR EACH ROW EXECUTE FUNCTION operation_may_move();

-- History cannot be forgotten: the same statement that moves an operation writes it.
CREATE FUNCTION operation_remembers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO operation_history (tenant_id, operation_id, version, from_state, to_state, reason, actor, resolution,
        capability, certainty, epoch, arming, attempt_no, external_ref)
    VALUES (NEW.tenant_id, NEW.id, NEW.version, CASE WHEN TG_OP = 'INSERT' THEN 'new' ELSE OLD.state END, NEW.state,
        NEW.reason, NEW.actor, NEW.resolution,
        NEW.capability, NEW.certainty, NEW.epoch, NEW.arming, NEW.attempt_no, NEW.external_ref);
    RETURN NULL;
END $$;
CREATE TRIGGER operation_remembers AFTER INSERT OR UPDATE ON operations FOR EACH ROW EXECUTE FUNCTION operation_remembers();

-- An attempt's outcome is written once; only a late answer may replace what was unknown.
CREATE FUNCTION attempt_may_settle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.outcome IS NOT NULL AND NOT (OLD.outcome = 'unknown' AND NEW.late) THEN
        RAISE EXCEPTION 'attempt refused: an outcome is written once'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_outcome_is_written_once', DETAIL = OLD.operation_id::text;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER attempt_may_settle BEFORE UPDATE ON operation_attempts FOR EACH ROW EXECUTE FUNCTION attempt_may_settle();
