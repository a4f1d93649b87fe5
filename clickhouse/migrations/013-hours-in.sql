-- Takes documents in: one insert of whole documents, copied by the views to the tables that keep them, all with the same
-- version. It keeps nothing itself. A copy that a crash left out is found by its version and written again.
CREATE TABLE IF NOT EXISTS hours_in (
  company                  UInt32,
  machine                  UInt32,
  slot                     DateTime('UTC'),
  version                  UInt64,
  facts_cell               Array(UInt32),
  facts_shift              Array(UInt32),
  facts_run                Array(UInt32),
  facts_operators          Array(Array(UInt32)),
  facts_mode               Array(UInt8),
  facts_scheduled          Array(UInt8),
  facts_non_optional       Array(UInt8),
  facts_first              Array(UInt32),
  facts_last               Array(UInt32),
  facts_duration_ms        Array(UInt32),
  facts_in_cycle_ms        Array(UInt32),
  facts_spindle_ms         Array(UInt32),
  facts_cut_ms             Array(UInt32),
  facts_parts              Array(Float64),
  facts_adjusted           Array(Float64),
  facts_scrap              Array(Float64),
  facts_nonconform         Array(Float64),
  downtime_cell            Array(UInt32),
  downtime_shift           Array(UInt32),
  downtime_run             Array(UInt32),
  downtime_operators       Array(Array(UInt32)),
  downtime_mode            Array(UInt8),
  downtime_scheduled       Array(UInt8),
  downtime_non_optional    Array(UInt8),
  downtime_start           Array(UInt32),
  downtime_end             Array(UInt32),
  downtime_reason          Array(Int32),
  downtime_record_start_ms Array(Int64),
  alarm_key                Array(LowCardinality(String)),
  alarm_code               Array(LowCardinality(String)),
  alarm_message            Array(String),
  alarm_level              Array(UInt8),
  alarm_start_ms           Array(Int64),
  alarm_end_ms             Array(Int64),
  setup_at                 Array(UInt32),
  setup_shift              Array(UInt32),
  setup_run                Array(UInt32),
  setup_operators          Array(Array(UInt32)),
  setup_mode               Array(UInt8),
  setup_scheduled          Array(UInt8),
  setup_non_optional       Array(UInt8),
  hash_in                  UInt64,
  hash_out                 UInt64,
  segment_cell             Array(UInt32),
  segment_start            Array(UInt32),
  segment_end              Array(UInt32),
  segment_status           Array(UInt8),
  segment_in_cycle         Array(UInt8),
  segment_spindle          Array(UInt8),
  segment_cut              Array(UInt8),
  segment_down             Array(UInt8),
  segment_reason           Array(Int32),
  segment_shift            Array(UInt32),
  segment_run              Array(UInt32),
  segment_operators        Array(Array(UInt32)),
  segment_mode             Array(UInt8),
  segment_scheduled        Array(UInt8),
  segment_non_optional     Array(UInt8),
  state_out                String,
  part_cell                Array(UInt32),
  part_at                  Array(UInt32),
  part_count               Array(Float64),
  part_shift               Array(UInt32),
  part_run                 Array(UInt32),
  part_operators           Array(Array(UInt32)),
  part_mode                Array(UInt8),
  part_scheduled           Array(UInt8),
  part_non_optional        Array(UInt8),
  adjustment_cell          Array(UInt32),
  adjustment_at            Array(UInt32),
  adjustment_count         Array(Float64),
  adjustment_scrap         Array(Float64),
  adjustment_nonconform    Array(Float64),
  adjustment_type          Array(Int32),
  adjustment_shift         Array(UInt32),
  adjustment_run           Array(UInt32),
  adjustment_operators     Array(Array(UInt32)),
  adjustment_mode          Array(UInt8),
  adjustment_scheduled     Array(UInt8),
  adjustment_non_optional  Array(UInt8)
) ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS hours_view TO hours AS
SELECT company, machine, slot, version, facts_cell, facts_shift, facts_run, facts_operators, facts_mode, facts_scheduled,
  facts_non_optional, facts_first, facts_last, facts_duration_ms, facts_in_cycle_ms, facts_spindle_ms, facts_cut_ms,
  facts_parts, facts_adjusted, facts_scrap, facts_nonconform, downtime_cell, downtime_shift, downtime_run, downtime_operators,
  downtime_mode, downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason,
  downtime_record_start_ms, alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms, setup_at,
  setup_shift, setup_run, setup_operators, setup_mode, setup_scheduled, setup_non_optional, hash_in, hash_out
FROM hours_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS cycle_states_view TO cycle_states AS
SELECT company, machine, slot, version, segment_cell, segment_start, segment_end, segment_status, segment_in_cycle,
  segment_spindle, segment_cut, segment_down, segment_reason, segment_shift, segment_run, segment_operators, segment_mode,
  segment_scheduled, segment_non_optional, setup_at, setup_shift, setup_run, setup_operators, setup_mode, setup_scheduled,
  setup_non_optional, state_out
FROM hours_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS downtime_states_view TO downtime_states AS
SELECT company, machine, slot, version, downtime_cell, downtime_shift, downtime_run, downtime_operators, downtime_mode,
  downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason, downtime_record_start_ms
FROM hours_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS alarm_states_view TO alarm_states AS
SELECT company, machine, slot, version, alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms
FROM hours_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS part_states_view TO part_states AS
SELECT company, machine, slot, version, part_cell, part_at, part_count, part_shift, part_run, part_operators, part_mode,
  part_scheduled, part_non_optional, adjustment_cell, adjustment_at, adjustment_count, adjustment_scrap,
  adjustment_nonconform, adjustment_type, adjustment_shift, adjustment_run, adjustment_operators, adjustment_mode,
  adjustment_scheduled, adjustment_non_optional
FROM hours_in;
