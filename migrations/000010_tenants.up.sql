-- A tenant, its address in URLs, and its sealed data keys.
CREATE TABLE tenants (
    id            uuid PRIMARY KEY,
    slug          text NOT NULL,
    name          text NOT NULL,
    state         text NOT NULL DEFAULT 'active',
    locale        text NOT NULL DEFAULT 'ru',
    time_zone     text NOT NULL DEFAULT 'Europe/Moscow',
    phone_region  text NOT NULL DEFAULT 'RU',
    created_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT tenant_state_is_known CHECK (state IN ('active', 'suspended', 'deleted'))
);
SELECT make_tenant_table('tenants', 'id');
CREATE POLICY states_for_scan ON tenants FOR SELECT TO sverka_scan USING (true);
GRANT SELECT, INSERT, UPDATE ON tenants TO sverka_app;
GRANT SELECT (id, state) ON tenants TO sverka_scan;

-- Routing before a tenant is known; answered neutrally. No foreign key: it is sharded by slug.
CREATE TABLE tenant_slugs (
    slug      text PRIMARY KEY,
    tenant_id uuid NOT NULL
);
ALTER TABLE tenant_slugs ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_slugs FORCE ROW LEVEL SECURITY;
CREATE POLICY own_slug ON tenant_slugs TO sverka_app USING (tenant_id = current_setting('app.tenant_id')::uuid);
CREATE POLICY slugs_for_scan ON tenant_slugs FOR SELECT TO sverka_scan USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenant_slugs TO sverka_app;
GRANT SELECT ON tenant_slugs TO sverka_scan;

-- A tenant's data keys, sealed by the root keyset. Destroying them is how a tenant is erased.
CREATE TABLE tenant_keys (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    no         int  NOT NULL,
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, no),
    CONSTRAINT key_number_fits_a_byte CHECK (no BETWEEN 1 AND 255)
);
SELECT make_tenant_table('tenant_keys');
CREATE POLICY keys_for_intake ON tenant_keys FOR SELECT TO sverka_intake USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenant_keys TO sverka_app;
GRANT SELECT ON tenant_keys TO sverka_intake;
