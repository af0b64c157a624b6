-- One way to make a table a tenant's: row level security on and forced, and a policy that raises without a tenant.
CREATE FUNCTION make_tenant_table(target regclass, tenant_column text DEFAULT 'tenant_id') RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY of_one_tenant ON %s TO sverka_app '
        'USING (%I = current_setting(''app.tenant_id'')::uuid) '
        'WITH CHECK (%I = current_setting(''app.tenant_id'')::uuid)',
        target, tenant_column, tenant_column);
END $$;
REVOKE ALL ON FUNCTION make_tenant_table(regclass, text) FROM PUBLIC;

-- River's client runs as the login role; our three roles only enqueue, in their own transactions.
GRANT SELECT, INSERT, UPDATE, DELETE ON river_job, river_leader, river_queue, river_notification, river_migration TO sverka;
GRANT USAGE, SELECT ON SEQUENCE river_job_id_seq, river_notification_id_seq TO sverka;
GRANT SELECT, INSERT, UPDATE (kind) ON river_job TO sverka_app, sverka_intake, sverka_scan;
GRANT USAGE ON SEQUENCE river_job_id_seq TO sverka_app, sverka_intake, sverka_scan;

-- River's own versions are taken as files of this history: tell River which ones are here.
INSERT INTO river_migration (line, version) SELECT 'main', v FROM generate_series(1, 8) AS v;
