-- Children first.
DROP TABLE connection_rate, connection_capabilities, connections;
