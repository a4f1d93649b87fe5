-- One row per machine and whole shop day, of the same shape as `hours`: made of them, for reports over many days. Offsets are ms
-- from start_ms; without cells, as a day is one. A zone or start of day that changes leaves rows of other bounds: a reader asks
-- for the bounds it means.
CREATE TABLE IF NOT EXISTS days (
  company       UInt32,
  machine       UInt32,
  shop_date     Date32,
  start_ms      Int64,
  end_ms        Int64,
  ver           UInt64 CODEC(ZSTD(1)),
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
  u_at          Array(UInt32) CODEC(ZSTD(1)),
  u_shift       Array(UInt32) CODEC(ZSTD(1)),
  u_run         Array(UInt32) CODEC(ZSTD(1)),
  u_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  u_mode        Array(UInt8) CODEC(ZSTD(1)),
  u_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  u_nonoptional Array(UInt8) CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(ver)
PARTITION BY toYYYYMM(shop_date)
ORDER BY (company, shop_date, machine, start_ms, end_ms)
SETTINGS min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
