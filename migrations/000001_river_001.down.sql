-- River v0.51.2's own schema, version 1 of line main: one file per version, so that there is one linear history.
DROP TABLE river_migration;
