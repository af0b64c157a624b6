-- People who sign in, and which tenants they belong to.
CREATE TABLE users (
    id            uuid PRIMARY KEY,
    email         text NOT NULL,
    name          text NOT NULL DEFAULT '',
    password_hash text,
    locale        text,
    time_zone     text,
    state         text NOT NULL DEFAULT 'active',
    created_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT one_account_per_email UNIQUE (email),
    CONSTRAINT email_is_lower_case CHECK (email = lower(email)),
    CONSTRAINT user_state_is_known CHECK (state IN ('active', 'disabled'))
);
-- Users belong to no tenant. A tenant's transaction may add one and see names, never a password.
GRANT INSERT, SELECT (id, email, name, locale, time_zone, state) ON users TO sverka_app;

-- Which tenants a user has, asked before a tenant is known.
CREATE TABLE user_tenants (
    user_id   uuid NOT NULL,
    tenant_id uuid NOT NULL,
    PRIMARY KEY (user_id, tenant_id)
);
ALTER TABLE user_tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY own_people ON user_tenants TO sverka_app USING (tenant_id = current_setting('app.tenant_id')::uuid);
GRANT SELECT, INSERT, DELETE ON user_tenants TO sverka_app;

CREATE TABLE memberships (
    tenant_id  uuid NOT NULL REFERENCES tenants (id),
    user_id    uuid NOT NULL,
    role       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, user_id),
    CONSTRAINT role_is_known CHECK (role IN ('viewer', 'support', 'admin', 'owner'))
);
SELECT make_tenant_table('memberships');
GRANT SELECT, INSERT, UPDATE, DELETE ON memberships TO sverka_app;
