-- One intended CRM write: narrow, with its sealed record apart, its attempts and its history.
CREATE TABLE operations (
    tenant_id         uuid NOT NULL REFERENCES tenants (id),
    id                uuid NOT NULL,
    event_id          uuid NOT NULL,
    route_id          uuid NOT NULL,
    route_version     int NOT NULL,
    connection_id     uuid NOT NULL,
    contact_id        uuid,
    inquiry_id        uuid,
    kind              text NOT NULL,
    dedupe_key        bytea NOT NULL,
    plan              int NOT NULL DEFAULT 1,
    replans           uuid,
    capability        text NOT NULL,
    key_window        interval,
    serial_only       bool NOT NULL DEFAULT false,
    external_key      text,
    key_generation    int NOT NULL DEFAULT 1,
    key_first_sent_at timestamptz,
    state             text NOT NULL,
    prev_state        text NOT NULL DEFAULT 'new',
    reason            text,
    actor             text NOT NULL DEFAULT 'system',
    resolution        text,
    certainty         text NOT NULL DEFAULT 'none',
    epoch             bigint NOT NULL DEFAULT 0,
    arming            int NOT NULL DEFAULT 1,
    attempt_no        int NOT NULL DEFAULT 0,
    lane_key          uuid NOT NULL,
    lane_seq          bigint NOT NULL,
    depends_on        uuid,
    lease_owner       text,
    lease_until       timestamptz,
    next_attempt_at   timestamptz,
    deadline_at       timestamptz NOT NULL,
    external_ref      text,
    version           int NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL DEFAULT now(),
    changed_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES inbox_events (tenant_id, id),
    FOREIGN KEY (tenant_id, route_id) REFERENCES routes (tenant_id, id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES connections (tenant_id, id),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id),
    FOREIGN KEY (tenant_id, inquiry_id) REFERENCES inquiries (tenant_id, id),
    FOREIGN KEY (tenant_id, depends_on) REFERENCES operations (tenant_id, id),
    FOREIGN KEY (tenant_id, replans) REFERENCES operations (tenant_id, id),
    CONSTRAINT operation_moves_along_an_edge FOREIGN KEY (prev_state, state)
        REFERENCES operation_edges (from_state, to_state),
    CONSTRAINT one_operation_per_effect UNIQUE (tenant_id, connection_id, dedupe_key, plan),
    CONSTRAINT one_place_in_a_lane UNIQUE (tenant_id, connection_id, lane_key, lane_seq),
    CONSTRAINT a_later_plan_replans_a_failed_one CHECK ((plan = 1) = (replans IS NULL)),
    CONSTRAINT dedupe_key_is_a_sha256 CHECK (length(dedupe_key) = 32),
    CONSTRAINT capability_is_known CHECK (capability IN ('idempotent_create', 'upsert_by_external_id', 'neither')),
    CONSTRAINT keyed_has_key_and_window CHECK (capability <> 'idempotent_create'
        OR (external_key IS NOT NULL AND key_window IS NOT NULL)),
    CONSTRAINT certainty_is_known CHECK (certainty IN ('none', 'possible')),
    CONSTRAINT pending_has_a_due_time CHECK (state <> 'pending' OR next_attempt_at IS NOT NULL),
    CONSTRAINT in_flight_has_a_lease CHECK ((state = 'in_flight') = (lease_until IS NOT NULL)
        AND (state = 'in_flight') = (lease_owner IS NOT NULL)),
    CONSTRAINT in_flight_may_have_happened CHECK (state <> 'in_flight' OR certainty = 'possible'),
    CONSTRAINT done_has_a_ref CHECK ((state = 'done') = (external_ref IS NOT NULL)),
    CONSTRAINT failed_is_without_doubt CHECK (state <> 'failed' OR certainty = 'none'),
    CONSTRAINT waiting_for_a_person_has_a_reason CHECK (state NOT IN ('held', 'needs_reconciliation', 'failed')
        OR reason IS NOT NULL),
    CONSTRAINT no_blind_second_create CHECK (NOT (state = 'pending' AND capability = 'neither' AND certainty = 'possible'))
) WITH (fillfactor = 80);

CREATE INDEX operations_due ON operations (tenant_id, connection_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX operations_due_scan ON operations (next_attempt_at) WHERE state = 'pending';
CREATE INDEX operations_leased_scan ON operations (lease_until) WHERE state = 'in_flight';
CREATE INDEX operations_in_flight ON operations (tenant_id, connection_id) WHERE state = 'in_flight';
CREATE INDEX operations_open_in_lane ON operations (tenant_id, connection_id, lane_key, lane_seq)
    WHERE state IN ('pending', 'held', 'in_flight', 'needs_reconciliation');
CREATE INDEX operations_for_a_person ON operations (tenant_id, changed_at)
    WHERE state IN ('needs_reconciliation', 'held', 'failed');
CREATE INDEX operations_of_an_event ON operations (tenant_id, event_id);
CREATE INDEX operations_of_an_inquiry ON operations (tenant_id, inquiry_id);
CREATE INDEX operations_following ON operations (tenant_id, depends_on) WHERE depends_on IS NOT NULL;
-- Ids are time-ordered, so a block range index finds one over all tenants and costs next to nothing.
CREATE INDEX operations_by_id_scan ON operations USING brin (id) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX operations_by_ref_scan ON operations (external_ref) WHERE external_ref IS NOT NULL;

SELECT make_tenant_table('operations');
CREATE POLICY operations_for_scan ON operations FOR SELECT TO sverka_scan USING (true);
GRANT SELECT, INSERT, UPDATE ON operations TO sverka_app;
GRANT SELECT (tenant_id, id, event_id, connection_id, state, next_attempt_at, lease_until, deadline_at,
    lane_key, lane_seq, depends_on, external_ref) ON operations TO sverka_scan;

-- The record as it should stand in the CRM, sealed; erased apart from the operation.
CREATE TABLE operation_payloads (
    tenant_id    uuid NOT NULL,
    operation_id uuid NOT NULL,
    sealed       bytea,
    erased_at    timestamptz,
    PRIMARY KEY (tenant_id, operation_id),
    FOREIGN KEY (tenant_id, operation_id) REFERENCES operations (tenant_id, id),
    CONSTRAINT erased_has_a_time CHECK ((sealed IS NULL) = (erased_at IS NOT NULL))
);
SELECT make_tenant_table('operation_payloads');
GRANT SELECT, INSERT, UPDATE (sealed, erased_at) ON operation_payloads TO sverka_app;

-- One try. Its row is committed before the first byte is sent.
CREATE TABLE operation_attempts (
    tenant_id        uuid NOT NULL,
    operation_id     uuid NOT NULL,
    no               int NOT NULL,
    epoch            bigint NOT NULL,
    arming           int NOT NULL,
    capability       text NOT NULL,
    certainty_before text NOT NULL,
    started_at       timestamptz NOT NULL DEFAULT now(),
    finished_at      timestamptz,
    outcome          text,
    cause            text,
    http_status      int,
    external_ref     text,
    evidence         jsonb,
    late             bool NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, operation_id, no),
    FOREIGN KEY (tenant_id, operation_id) REFERENCES operations (tenant_id, id),
    CONSTRAINT outcome_is_known CHECK (outcome IN ('executed', 'refused', 'not_executed', 'stale', 'unknown')),
    CONSTRAINT outcome_has_a_time CHECK ((outcome IS NULL) = (finished_at IS NULL)),
    CONSTRAINT executed_has_a_ref CHECK ((outcome IS NOT DISTINCT FROM 'executed') = (external_ref IS NOT NULL))
);
-- One request that may have been executed per arming: what makes a blind second create impossible.
CREATE UNIQUE INDEX one_possible_send_per_arming ON operation_attempts (tenant_id, operation_id, arming)
    WHERE capability = 'neither' AND outcome IS DISTINCT FROM 'not_executed';
SELECT make_tenant_table('operation_attempts');
GRANT SELECT, INSERT, UPDATE (finished_at, outcome, cause, http_status, external_ref, evidence, late)
    ON operation_attempts TO sverka_app;

-- Append-only; replaying it gives the current state.
CREATE TABLE operation_history (
    tenant_id    uuid NOT NULL,
    operation_id uuid NOT NULL,
    version      int NOT NULL,
    from_state   text NOT NULL,
    to_state     text NOT NULL,
    reason       text,
    actor        text NOT NULL,
    resolution   text,
    capability   text NOT NULL,
    certainty    text NOT NULL,
    epoch        bigint NOT NULL,
    arming       int NOT NULL,
    attempt_no   int NOT NULL,
    external_ref text,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, operation_id, version),
    FOREIGN KEY (tenant_id, operation_id) REFERENCES operations (tenant_id, id)
);
SELECT make_tenant_table('operation_history');
GRANT SELECT, INSERT ON operation_history TO sverka_app;
