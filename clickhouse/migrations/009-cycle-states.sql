-- State of the machines by segments of an hour: a view of the documents for people who ask the store by SQL, with the newest version
-- of every hour. It keeps nothing of its own, so it costs an insert nothing.
CREATE VIEW IF NOT EXISTS cycle_states AS
SELECT company, machine, slot, version, setup_at, setup_shift, setup_run, setup_operators, setup_mode, setup_scheduled,
  setup_non_optional, segment_cell, segment_start, segment_end, segment_status, segment_in_cycle, segment_spindle,
  segment_cut, segment_down, segment_reason, segment_shift, segment_run, segment_operators, segment_mode,
  segment_scheduled, segment_non_optional, state_out
FROM hours FINAL;
