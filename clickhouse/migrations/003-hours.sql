-- One row per machine and UTC hour: what reports add up. A correction is a row with a higher version, so an hour changes as one
-- and repeating it changes nothing. Offsets are ms from the slot; arrays of one prefix are parallel:
--   f_ facts that add up, per cell and dimensions (a cell: part of the hour in one local hour and one shop day)
--   d_ pieces of downtime, cut at cells and dimensions; d_record: when the whole record began, UTC ms
--   a_ alarm instances active in the hour; a_end: UTC ms, 9007199254740991 while it goes on after the hour
--   u_ runs that start in setup
-- mode: 0 none, 1 setup, 2 production; level: 1 WARNING, 2 FAULT; reason: 0 uncategorized, -1 setup.
CREATE TABLE IF NOT EXISTS hours (
  company       UInt32,
  machine       UInt32,
  slot          DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  ver           UInt64 CODEC(ZSTD(1)),
  f_cell        Array(UInt32) CODEC(ZSTD(1)),
  f_shift       Array(UInt32) CODEC(ZSTD(1)),
  f_run         Array(UInt32) CODEC(ZSTD(1)),
  f_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  f_mode        Array(UInt8) CODEC(ZSTD(1)),
  f_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  f_nonoptional Array(UInt8) CODEC(ZSTD(1)),
  f_first       Array(UInt32) CODEC(ZSTD(1)),
  f_last        Array(UInt32) CODEC(ZSTD(1)),
  f_ms          Array(UInt32) CODEC(ZSTD(1)),
  f_cycle       Array(UInt32) CODEC(ZSTD(1)),
  f_spindle     Array(UInt32) CODEC(ZSTD(1)),
  f_cut         Array(UInt32) CODEC(ZSTD(1)),
  f_parts       Array(Float64) CODEC(ZSTD(1)),
  f_adjusted    Array(Float64) CODEC(ZSTD(1)),
  f_scrap       Array(Float64) CODEC(ZSTD(1)),
  f_nonconform  Array(Float64) CODEC(ZSTD(1)),
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
  d_record      Array(Int64) CODEC(ZSTD(1)),
  a_key         Array(LowCardinality(String)),
  a_code        Array(LowCardinality(String)),
  a_message     Array(String) CODEC(ZSTD(1)),
  a_level       Array(UInt8) CODEC(ZSTD(1)),
  a_start       Array(Int64) CODEC(ZSTD(1)),
  a_end         Array(Int64) CODEC(ZSTD(1)),
  u_at          Array(UInt32) CODEC(ZSTD(1)),
  u_shift       Array(UInt32) CODEC(ZSTD(1)),
  u_run         Array(UInt32) CODEC(ZSTD(1)),
  u_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  u_mode        Array(UInt8) CODEC(ZSTD(1)),
  u_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  u_nonoptional Array(UInt8) CODEC(ZSTD(1)),
  hash_in       UInt64 CODEC(ZSTD(1)),
  hash_out      UInt64 CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(ver)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, toDate(slot), machine, slot)
SETTINGS min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
