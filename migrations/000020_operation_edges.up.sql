-- The legal moves of an operation: shared by the trigger, the Go code and the model test.
CREATE TABLE operation_edges (
    from_state text NOT NULL,
    to_state   text NOT NULL,
    PRIMARY KEY (from_state, to_state)
);
INSERT INTO operation_edges (from_state, to_state) VALUES
    ('new', 'pending'), ('new', 'held'),
    ('pending', 'in_flight'), ('pending', 'held'), ('pending', 'done'), ('pending', 'needs_reconciliation'),
    ('pending', 'failed'), ('pending', 'superseded'), ('pending', 'cancelled'),
    ('held', 'pending'), ('held', 'done'), ('held', 'needs_reconciliation'),
    ('held', 'failed'), ('held', 'superseded'), ('held', 'cancelled'),
    ('in_flight', 'done'), ('in_flight', 'failed'), ('in_flight', 'pending'), ('in_flight', 'held'),
    ('in_flight', 'needs_reconciliation'), ('in_flight', 'superseded'),
    ('needs_reconciliation', 'done'), ('needs_reconciliation', 'pending'), ('needs_reconciliation', 'cancelled'),
    ('failed', 'cancelled'),
    ('done', 'needs_reconciliation'), ('cancelled', 'needs_reconciliation');
GRANT SELECT ON operation_edges TO sverka_app, sverka_scan;
