-- Takes back the grants on River's tables and the helper.
DELETE FROM river_migration WHERE line = 'main';
REVOKE ALL ON river_job, river_leader, river_queue, river_notification, river_migration FROM sverka, sverka_app, sverka_intake, sverka_scan;
REVOKE ALL ON SEQUENCE river_job_id_seq, river_notification_id_seq FROM sverka, sverka_app, sverka_intake, sverka_scan;
DROP FUNCTION make_tenant_table(regclass, text);
