-- River v0.51.2's own schema, version 8 of line main: one file per version, so that there is one linear history.
-- No-op. Postgres sequences already prevent automatically generated job IDs
-- from being reused.
SELECT 1;

