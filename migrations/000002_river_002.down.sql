-- River v0.51.2's own schema, version 2 of line main: one file per version, so that there is one linear history.
DROP TABLE river_job;
DROP FUNCTION river_job_notify;
DROP TYPE river_job_state;

DROP TABLE river_leader;
