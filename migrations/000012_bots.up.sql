-- A tenant's Telegram bots, who owns which bot user id, and where its webhook arrives.
CREATE TABLE bots (
    tenant_id      uuid NOT NULL REFERENCES tenants (id),
    id             uuid NOT NULL,
    user_id        bigint NOT NULL,
    username       text NOT NULL DEFAULT '',
    name           text NOT NULL,
    token_sealed   bytea NOT NULL,
    secret_sealed  bytea NOT NULL,
    hook           text NOT NULL,
    state          text NOT NULL DEFAULT 'active',
    version        int NOT NULL DEFAULT 1,
    created_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT bot_state_is_known CHECK (state IN ('active', 'paused', 'deleted'))
);
CREATE UNIQUE INDEX one_live_bot_per_user_id ON bots (tenant_id, user_id) WHERE state <> 'deleted';
SELECT make_tenant_table('bots');
CREATE POLICY states_for_scan ON bots FOR SELECT TO sverka_scan USING (true);
GRANT SELECT, INSERT, UPDATE ON bots TO sverka_app;
GRANT SELECT (tenant_id, id, state) ON bots TO sverka_scan;

-- One bot user id belongs to one tenant at a time: Telegram has one webhook per bot, last writer wins.
CREATE TABLE bot_claims (
    user_id    bigint PRIMARY KEY,
    tenant_id  uuid NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE bot_claims ENABLE ROW LEVEL SECURITY;
ALTER TABLE bot_claims FORCE ROW LEVEL SECURITY;
CREATE POLICY own_claims ON bot_claims TO sverka_app USING (tenant_id = current_setting('app.tenant_id')::uuid);
GRANT SELECT, INSERT, DELETE ON bot_claims TO sverka_app;

-- Where a webhook arrives: 128 random bits in the path, and the SHA-256 of the secret in the header.
CREATE TABLE hooks (
    hook            text PRIMARY KEY,
    tenant_id       uuid NOT NULL,
    kind            text NOT NULL,
    owner_id        uuid NOT NULL,
    origin          text NOT NULL,
    secret_sha256   bytea NOT NULL,
    previous_sha256 bytea,
    previous_until  timestamptz,
    state           text NOT NULL DEFAULT 'active',
    changed_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT hook_is_128_random_bits CHECK (hook ~ '^[0-9a-f]{32}$'),
    CONSTRAINT hook_kind_is_known CHECK (kind IN ('telegram', 'crm')),
    CONSTRAINT hook_state_is_known CHECK (state IN ('active', 'deleted')),
    CONSTRAINT secret_is_a_sha256 CHECK (length(secret_sha256) = 32 AND coalesce(length(previous_sha256), 32) = 32),
    CONSTRAINT previous_secret_ends CHECK ((previous_sha256 IS NULL) = (previous_until IS NULL))
);
CREATE INDEX hooks_by_change ON hooks (changed_at);
ALTER TABLE hooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE hooks FORCE ROW LEVEL SECURITY;
CREATE POLICY own_hooks ON hooks TO sverka_app USING (tenant_id = current_setting('app.tenant_id')::uuid);
CREATE POLICY hooks_for_intake ON hooks FOR SELECT TO sverka_intake USING (true);
GRANT SELECT, INSERT, UPDATE ON hooks TO sverka_app;
GRANT SELECT ON hooks TO sverka_intake;

-- Every process caches hooks; a change is told at once (LISTEN hooks) and found within a second anyway.
CREATE FUNCTION hooks_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := clock_timestamp();
    PERFORM pg_notify('hooks', '');
    RETURN NEW;
END $$;
CREATE TRIGGER hooks_tell BEFORE INSERT OR UPDATE ON hooks FOR EACH ROW EXECUTE FUNCTION hooks_tell();
