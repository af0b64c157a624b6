-- The edges outlive the operations.
DROP TABLE operation_edges;
