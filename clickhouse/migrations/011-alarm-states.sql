-- Alarm instances that are active in an hour: a view of the documents for people who ask the store by SQL, with the newest version
-- of every hour. It keeps nothing of its own, so it costs an insert nothing.
CREATE VIEW IF NOT EXISTS alarm_states AS
SELECT company, machine, slot, version, alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms
FROM hours FINAL;
