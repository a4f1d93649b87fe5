-- Downtime of the machines by pieces of an hour: a view of the documents for people who ask the store by SQL, with the newest version
-- of every hour. It keeps nothing of its own, so it costs an insert nothing.
CREATE VIEW IF NOT EXISTS downtime_states AS
SELECT company, machine, slot, version, downtime_cell, downtime_shift, downtime_run, downtime_operators, downtime_mode,
  downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason, downtime_record_start_ms
FROM hours FINAL;
