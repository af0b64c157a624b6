-- Bodies, then events.
DROP TABLE seen_messages, inbox_payloads, inbox_events;
DROP FUNCTION make_payload_days();
