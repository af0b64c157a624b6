-- Routes refer to connections.
DROP TABLE routes;
