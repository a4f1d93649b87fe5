-- The door through which documents come in: one insert of whole documents, copied by the views to the tables that keep them, all
-- with the same version. It keeps nothing itself. A copy that a crash left out is found by its version and written again.
CREATE TABLE IF NOT EXISTS hours_in (
  company       UInt32,
  machine       UInt32,
  slot          DateTime('UTC'),
  ver           UInt64,
  f_cell        Array(UInt32),
  f_shift       Array(UInt32),
  f_run         Array(UInt32),
  f_ops         Array(Array(UInt32)),
  f_mode        Array(UInt8),
  f_scheduled   Array(UInt8),
  f_nonoptional Array(UInt8),
  f_first       Array(UInt32),
  f_last        Array(UInt32),
  f_ms          Array(UInt32),
  f_cycle       Array(UInt32),
  f_spindle     Array(UInt32),
  f_cut         Array(UInt32),
  f_parts       Array(Float64),
  f_adjusted    Array(Float64),
  f_scrap       Array(Float64),
  f_nonconform  Array(Float64),
  d_cell        Array(UInt32),
  d_shift       Array(UInt32),
  d_run         Array(UInt32),
  d_ops         Array(Array(UInt32)),
  d_mode        Array(UInt8),
  d_scheduled   Array(UInt8),
  d_nonoptional Array(UInt8),
  d_start       Array(UInt32),
  d_end         Array(UInt32),
  d_reason      Array(Int32),
  d_record      Array(Int64),
  a_key         Array(LowCardinality(String)),
  a_code        Array(LowCardinality(String)),
  a_message     Array(String),
  a_level       Array(UInt8),
  a_start       Array(Int64),
  a_end         Array(Int64),
  u_at          Array(UInt32),
  u_shift       Array(UInt32),
  u_run         Array(UInt32),
  u_ops         Array(Array(UInt32)),
  u_mode        Array(UInt8),
  u_scheduled   Array(UInt8),
  u_nonoptional Array(UInt8),
  hash_in       UInt64,
  hash_out      UInt64,
  s_cell        Array(UInt32),
  s_start       Array(UInt32),
  s_end         Array(UInt32),
  s_status      Array(UInt8),
  s_cycle       Array(UInt8),
  s_spindle     Array(UInt8),
  s_cut         Array(UInt8),
  s_down        Array(UInt8),
  s_reason      Array(Int32),
  s_shift       Array(UInt32),
  s_run         Array(UInt32),
  s_ops         Array(Array(UInt32)),
  s_mode        Array(UInt8),
  s_scheduled   Array(UInt8),
  s_nonoptional Array(UInt8),
  state_out     String,
  p_cell        Array(UInt32),
  p_at          Array(UInt32),
  p_parts       Array(Float64),
  p_shift       Array(UInt32),
  p_run         Array(UInt32),
  p_ops         Array(Array(UInt32)),
  p_mode        Array(UInt8),
  p_scheduled   Array(UInt8),
  p_nonoptional Array(UInt8),
  q_cell        Array(UInt32),
  q_at          Array(UInt32),
  q_count       Array(Float64),
  q_scrap       Array(Float64),
  q_nonconform  Array(Float64),
  q_type        Array(Int32),
  q_shift       Array(UInt32),
  q_run         Array(UInt32),
  q_ops         Array(Array(UInt32)),
  q_mode        Array(UInt8),
  q_scheduled   Array(UInt8),
  q_nonoptional Array(UInt8)
) ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS hours_view TO hours AS SELECT
  company, machine, slot, ver, f_cell, f_shift, f_run, f_ops, f_mode, f_scheduled, f_nonoptional, f_first,
  f_last, f_ms, f_cycle, f_spindle, f_cut, f_parts, f_adjusted, f_scrap, f_nonconform, d_cell, d_shift,
  d_run, d_ops, d_mode, d_scheduled, d_nonoptional, d_start, d_end, d_reason, d_record, a_key, a_code,
  a_message, a_level, a_start, a_end, u_at, u_shift, u_run, u_ops, u_mode, u_scheduled, u_nonoptional,
  hash_in, hash_out
FROM hours_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS cycle_states_view TO cycle_states AS SELECT
  company, machine, slot, ver, s_cell, s_start, s_end, s_status, s_cycle, s_spindle, s_cut, s_down, s_reason,
  s_shift, s_run, s_ops, s_mode, s_scheduled, s_nonoptional, u_at, u_shift, u_run, u_ops, u_mode,
  u_scheduled, u_nonoptional, state_out
FROM hours_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS downtime_states_view TO downtime_states AS SELECT
  company, machine, slot, ver, d_cell, d_shift, d_run, d_ops, d_mode, d_scheduled, d_nonoptional, d_start,
  d_end, d_reason, d_record
FROM hours_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS alarm_states_view TO alarm_states AS SELECT
  company, machine, slot, ver, a_key, a_code, a_message, a_level, a_start, a_end
FROM hours_in;

CREATE MATERIALIZED VIEW IF NOT EXISTS part_states_view TO part_states AS SELECT
  company, machine, slot, ver, p_cell, p_at, p_parts, p_shift, p_run, p_ops, p_mode, p_scheduled,
  p_nonoptional, q_cell, q_at, q_count, q_scrap, q_nonconform, q_type, q_shift, q_run, q_ops, q_mode,
  q_scheduled, q_nonoptional
FROM hours_in;
