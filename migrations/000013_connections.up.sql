-- A tenant's account at a CRM, what it can promise per record kind, and how fast it may be called.
CREATE TABLE connections (
    tenant_id          uuid NOT NULL REFERENCES tenants (id),
    id                 uuid NOT NULL,
    adapter            text NOT NULL,
    name               text NOT NULL,
    settings           jsonb NOT NULL DEFAULT '{}',
    secrets_sealed     bytea NOT NULL,
    state              text NOT NULL DEFAULT 'active',
    reason             text,
    concurrency        int NOT NULL DEFAULT 2,
    breaker_failures   int NOT NULL DEFAULT 0,
    breaker_open_until timestamptz,
    breaker_probe_by   text,
    version            int NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT connection_state_is_known CHECK (state IN ('active', 'paused', 'attention', 'deleted')),
    CONSTRAINT attention_has_a_reason CHECK (state <> 'attention' OR reason IS NOT NULL),
    CONSTRAINT concurrency_is_sane CHECK (concurrency BETWEEN 1 AND 64)
);
SELECT make_tenant_table('connections');
CREATE POLICY states_for_scan ON connections FOR SELECT TO sverka_scan USING (true);
GRANT SELECT, INSERT, UPDATE ON connections TO sverka_app;
GRANT SELECT (tenant_id, id, state) ON connections TO sverka_scan;

CREATE TABLE connection_capabilities (
    tenant_id     uuid NOT NULL,
    connection_id uuid NOT NULL,
    record_kind   text NOT NULL,
    capability    text NOT NULL,
    key_window    interval,
    serial_only   bool NOT NULL DEFAULT false,
    proven_at     timestamptz,
    demoted_at    timestamptz,
    demoted_for   text,
    PRIMARY KEY (tenant_id, connection_id, record_kind),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES connections (tenant_id, id),
    CONSTRAINT capability_is_known CHECK (capability IN ('idempotent_create', 'upsert_by_external_id', 'neither')),
    CONSTRAINT keyed_has_a_window CHECK ((capability = 'idempotent_create') = (key_window IS NOT NULL)),
    CONSTRAINT demotion_has_a_reason CHECK ((demoted_at IS NULL) = (demoted_for IS NULL))
);
SELECT make_tenant_table('connection_capabilities');
GRANT SELECT, INSERT, UPDATE ON connection_capabilities TO sverka_app;

-- GCRA: one row per connection; the claim locks it first, which also serialises claims of a connection.
CREATE TABLE connection_rate (
    tenant_id     uuid NOT NULL,
    connection_id uuid NOT NULL,
    tat           timestamptz NOT NULL DEFAULT '-infinity',
    emission      interval NOT NULL,
    tolerance     interval NOT NULL,
    PRIMARY KEY (tenant_id, connection_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES connections (tenant_id, id)
) WITH (fillfactor = 50);
SELECT make_tenant_table('connection_rate');
GRANT SELECT, INSERT, UPDATE ON connection_rate TO sverka_app;
