-- Part adjustments, by hour: a view of the documents for people who ask the store by SQL, with the newest version of every hour.
-- It keeps nothing of its own, so it costs an insert nothing.
CREATE VIEW IF NOT EXISTS adjustment_states AS
SELECT company, machine, slot, version, adjustment_cell, adjustment_at, adjustment_count, adjustment_scrap,
  adjustment_nonconform, adjustment_type, adjustment_shift, adjustment_run, adjustment_operators, adjustment_mode,
  adjustment_scheduled, adjustment_non_optional
FROM hours FINAL;
