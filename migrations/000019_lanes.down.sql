-- Lanes refer to connections.
DROP TABLE lanes;
