-- What arrived: narrow events by tenant, bodies apart and by day, so that they can be dropped by age.
-- No foreign key to tenants: it would lock the tenant's row for every event of every group (measured: a
-- third of the intake). The tenant comes from its hook, and a body cannot be sealed without its data key.
CREATE TABLE inbox_events (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL,
    source           text NOT NULL,
    origin           text NOT NULL,
    external_id      text NOT NULL,
    generation       int NOT NULL DEFAULT 1,
    owner_id         uuid NOT NULL,
    position         bigint NOT NULL,
    body_sha256      bytea NOT NULL,
    day              date NOT NULL,
    state            text NOT NULL,
    reason           text,
    kind             text,
    deliveries       int NOT NULL DEFAULT 1,
    failures         int NOT NULL DEFAULT 0,
    received_at      timestamptz NOT NULL DEFAULT now(),
    last_delivery_at timestamptz NOT NULL DEFAULT now(),
    processed_at     timestamptz,
    contact_id       uuid,
    inquiry_id       uuid,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id),
    FOREIGN KEY (tenant_id, inquiry_id) REFERENCES inquiries (tenant_id, id),
    CONSTRAINT source_is_known CHECK (source IN ('telegram', 'crm', 'partner')),
    CONSTRAINT event_state_is_known CHECK (state IN ('pending', 'processed', 'ignored', 'quarantined', 'variant')),
    CONSTRAINT set_aside_has_a_reason CHECK (state IN ('pending', 'processed', 'variant') OR reason IS NOT NULL),
    CONSTRAINT body_hash_is_a_sha256 CHECK (length(body_sha256) = 32)
) PARTITION BY HASH (tenant_id);
CREATE UNIQUE INDEX one_event_one_row ON inbox_events
    (tenant_id, source, origin, external_id, generation) WHERE state <> 'variant';
CREATE UNIQUE INDEX one_variant_per_body ON inbox_events
    (tenant_id, source, origin, external_id, generation, body_sha256) WHERE state = 'variant';
CREATE INDEX events_waiting ON inbox_events (tenant_id, owner_id, position, id) WHERE state = 'pending';
CREATE INDEX events_waiting_scan ON inbox_events (received_at) WHERE state = 'pending';
CREATE INDEX events_set_aside ON inbox_events (tenant_id, state, id) WHERE state IN ('ignored', 'quarantined', 'variant');
CREATE INDEX events_of_a_contact ON inbox_events (tenant_id, contact_id) WHERE contact_id IS NOT NULL;
SELECT make_tenant_table('inbox_events');
CREATE POLICY events_for_intake ON inbox_events TO sverka_intake USING (true);
CREATE POLICY events_for_scan ON inbox_events FOR SELECT TO sverka_scan USING (true);
GRANT SELECT, INSERT, UPDATE ON inbox_events TO sverka_app;
GRANT INSERT, SELECT (tenant_id, id, source, origin, external_id, generation, body_sha256, received_at, state, deliveries),
    UPDATE (deliveries, last_delivery_at) ON inbox_events TO sverka_intake;
GRANT SELECT (tenant_id, id, owner_id, source, origin, external_id, state, received_at) ON inbox_events TO sverka_scan;

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE inbox_events_%s PARTITION OF inbox_events FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
        EXECUTE format('ALTER TABLE inbox_events_%s ENABLE ROW LEVEL SECURITY', part);
        EXECUTE format('ALTER TABLE inbox_events_%s FORCE ROW LEVEL SECURITY', part);
    END LOOP;
END $$;

-- Bodies as they came, sealed. Written only together with their event, in one statement, so no
-- foreign key has to be checked on the hottest path. No DEFAULT partition: a missing day must be loud.
CREATE TABLE inbox_payloads (
    tenant_id uuid NOT NULL,
    event_id  uuid NOT NULL,
    day       date NOT NULL,
    sealed    bytea NOT NULL,
    PRIMARY KEY (tenant_id, event_id, day)
) PARTITION BY RANGE (day);
SELECT make_tenant_table('inbox_payloads');
CREATE POLICY payloads_for_intake ON inbox_payloads FOR INSERT TO sverka_intake WITH CHECK (true);
GRANT SELECT, INSERT ON inbox_payloads TO sverka_app;
GRANT INSERT ON inbox_payloads TO sverka_intake;

-- Keeps 14 days ahead. Called by migrate, at start and hourly; runs as the owner of the tables.
CREATE FUNCTION make_payload_days() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    made  int := 0;
    part  text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('make_payload_days'));
    FOR ahead IN -1..14 LOOP
        part := 'inbox_payloads_' || to_char(today + ahead, 'YYYYMMDD');
        CONTINUE WHEN to_regclass('public.' || part) IS NOT NULL;
        EXECUTE format('CREATE TABLE public.%I PARTITION OF public.inbox_payloads FOR VALUES FROM (%L) TO (%L)',
                       part, today + ahead, today + ahead + 1);
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', part);
        EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', part);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;
REVOKE ALL ON FUNCTION make_payload_days() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION make_payload_days() TO sverka_scan;
SELECT make_payload_days();

-- A human message already known under its business key never makes a second create, whatever its update_id.
CREATE TABLE seen_messages (
    tenant_id   uuid NOT NULL,
    bot_user_id bigint NOT NULL,
    key         text NOT NULL,
    event_id    uuid NOT NULL,
    PRIMARY KEY (tenant_id, bot_user_id, key),
    FOREIGN KEY (tenant_id, event_id) REFERENCES inbox_events (tenant_id, id)
);
SELECT make_tenant_table('seen_messages');
GRANT SELECT, INSERT ON seen_messages TO sverka_app;
