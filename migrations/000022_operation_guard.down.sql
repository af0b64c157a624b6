-- The triggers go before their functions.
DROP TRIGGER attempt_may_settle ON operation_attempts;
DROP TRIGGER operation_remembers ON operations;
DROP TRIGGER operation_may_move ON operations;
DROP TRIGGER operation_is_born ON operations;
DROP FUNCTION attempt_may_settle(), operation_remembers(), operation_may_move(), operation_is_born(), refuse_operation(text, text);
