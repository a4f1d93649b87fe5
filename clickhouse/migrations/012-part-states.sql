-- Parts that machines made, by hour: a view of the documents for people who ask the store by SQL, with the newest version of every
-- hour. It keeps nothing of its own, so it costs an insert nothing.
CREATE VIEW IF NOT EXISTS part_states AS
SELECT company, machine, slot, version, part_cell, part_at, part_count, part_shift, part_run, part_operators, part_mode,
  part_scheduled, part_non_optional
FROM hours FINAL;
