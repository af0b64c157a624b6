-- From a source (bot or partner) to a connection: mapping, inquiry policy, dedup window.
CREATE TABLE routes (
    tenant_id      uuid NOT NULL REFERENCES tenants (id),
    id             uuid NOT NULL,
    source         text NOT NULL,
    source_id      uuid NOT NULL,
    connection_id  uuid NOT NULL,
    state          text NOT NULL DEFAULT 'active',
    mapping        jsonb NOT NULL DEFAULT '{}',
    inquiry_policy jsonb NOT NULL DEFAULT '{}',
    dedup_window   interval NOT NULL DEFAULT '30 days',
    version        int NOT NULL DEFAULT 1,
    created_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES connections (tenant_id, id),
    CONSTRAINT one_route_per_source_and_connection UNIQUE (tenant_id, source, source_id, connection_id),
    CONSTRAINT source_is_known CHECK (source IN ('telegram', 'partner')),
    CONSTRAINT route_state_is_known CHECK (state IN ('active', 'paused', 'deleted'))
);
SELECT make_tenant_table('routes');
GRANT SELECT, INSERT, UPDATE ON routes TO sverka_app;
