-- The exact states behind an hour, ordered by time first: what the cut hours at a report's edges and a page's timeline read, a
-- whole plant's hour in one range. Copies of the same document as `hours`, one row each and with the same version, so that a
-- copy which a crash left behind is found by its version. Nothing here is aggregated, since every hour can be corrected.

-- Segments: status 0 UNAVAILABLE, 1 INACTIVE, 2 ACTIVE, 3 FAULT; s_reason says why where s_down. state_out: what the next hour starts from.
CREATE TABLE IF NOT EXISTS cycle_states (
  company       UInt32,
  machine       UInt32,
  slot          DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  ver           UInt64 CODEC(ZSTD(1)),
  s_cell        Array(UInt32) CODEC(ZSTD(1)),
  s_start       Array(UInt32) CODEC(ZSTD(1)),
  s_end         Array(UInt32) CODEC(ZSTD(1)),
  s_status      Array(UInt8) CODEC(ZSTD(1)),
  s_cycle       Array(UInt8) CODEC(ZSTD(1)),
  s_spindle     Array(UInt8) CODEC(ZSTD(1)),
  s_cut         Array(UInt8) CODEC(ZSTD(1)),
  s_down        Array(UInt8) CODEC(ZSTD(1)),
  s_reason      Array(Int32) CODEC(ZSTD(1)),
  s_shift       Array(UInt32) CODEC(ZSTD(1)),
  s_run         Array(UInt32) CODEC(ZSTD(1)),
  s_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  s_mode        Array(UInt8) CODEC(ZSTD(1)),
  s_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  s_nonoptional Array(UInt8) CODEC(ZSTD(1)),
  u_at          Array(UInt32) CODEC(ZSTD(1)),
  u_shift       Array(UInt32) CODEC(ZSTD(1)),
  u_run         Array(UInt32) CODEC(ZSTD(1)),
  u_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  u_mode        Array(UInt8) CODEC(ZSTD(1)),
  u_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  u_nonoptional Array(UInt8) CODEC(ZSTD(1)),
  state_out     String CODEC(ZSTD(3))
) ENGINE = ReplacingMergeTree(ver)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;

CREATE TABLE IF NOT EXISTS downtime_states (
  company       UInt32,
  machine       UInt32,
  slot          DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  ver           UInt64 CODEC(ZSTD(1)),
  d_cell        Array(UInt32) CODEC(ZSTD(1)),
  d_shift       Array(UInt32) CODEC(ZSTD(1)),
  d_run         Array(UInt32) CODEC(ZSTD(1)),
  d_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  d_mode        Array(UInt8) CODEC(ZSTD(1)),
  d_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  d_nonoptional Array(UInt8) CODEC(ZSTD(1)),
  d_start       Array(UInt32) CODEC(ZSTD(1)),
  d_end         Array(UInt32) CODEC(ZSTD(1)),
  d_reason      Array(Int32) CODEC(ZSTD(1)),
  d_record      Array(Int64) CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(ver)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;

CREATE TABLE IF NOT EXISTS alarm_states (
  company       UInt32,
  machine       UInt32,
  slot          DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  ver           UInt64 CODEC(ZSTD(1)),
  a_key         Array(LowCardinality(String)),
  a_code        Array(LowCardinality(String)),
  a_message     Array(String) CODEC(ZSTD(1)),
  a_level       Array(UInt8) CODEC(ZSTD(1)),
  a_start       Array(Int64) CODEC(ZSTD(1)),
  a_end         Array(Int64) CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(ver)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;

-- p_ parts that the machine made at an instant, q_ adjustments at theirs (q_type: the adjustment type's id, 0 uncategorized).
CREATE TABLE IF NOT EXISTS part_states (
  company       UInt32,
  machine       UInt32,
  slot          DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  ver           UInt64 CODEC(ZSTD(1)),
  p_cell        Array(UInt32) CODEC(ZSTD(1)),
  p_at          Array(UInt32) CODEC(ZSTD(1)),
  p_parts       Array(Float64) CODEC(ZSTD(1)),
  p_shift       Array(UInt32) CODEC(ZSTD(1)),
  p_run         Array(UInt32) CODEC(ZSTD(1)),
  p_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  p_mode        Array(UInt8) CODEC(ZSTD(1)),
  p_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  p_nonoptional Array(UInt8) CODEC(ZSTD(1)),
  q_cell        Array(UInt32) CODEC(ZSTD(1)),
  q_at          Array(UInt32) CODEC(ZSTD(1)),
  q_count       Array(Float64) CODEC(ZSTD(1)),
  q_scrap       Array(Float64) CODEC(ZSTD(1)),
  q_nonconform  Array(Float64) CODEC(ZSTD(1)),
  q_type        Array(Int32) CODEC(ZSTD(1)),
  q_shift       Array(UInt32) CODEC(ZSTD(1)),
  q_run         Array(UInt32) CODEC(ZSTD(1)),
  q_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  q_mode        Array(UInt8) CODEC(ZSTD(1)),
  q_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  q_nonoptional Array(UInt8) CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(ver)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
