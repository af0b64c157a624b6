-- Children first.
DROP TABLE operation_history, operation_attempts, operation_payloads, operations;
