-- One row per machine and whole shop day: its hours added up, for reports over many days. Made of `hours` by one statement of the
-- engine's own, and read only where `day_coverage` and `stale_days` say that it equals them. A row belongs to the bounds of its
-- day, which a change of time zone or start of day moves: who reads asks for the bounds it means. Offsets are ms from start_ms;
-- arrays of one prefix are parallel:
--   f_ facts that add up, per dimensions; f_first and f_last: the first and the last moment of them
--   r_ downtime by reason, per dimensions; r_records: how many records begin in it, r_carried: 1 where one goes on from before the day
--   u_ runs that start in setup
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
  r_shift       Array(UInt32) CODEC(ZSTD(1)),
  r_run         Array(UInt32) CODEC(ZSTD(1)),
  r_ops         Array(Array(UInt32)) CODEC(ZSTD(1)),
  r_mode        Array(UInt8) CODEC(ZSTD(1)),
  r_scheduled   Array(UInt8) CODEC(ZSTD(1)),
  r_nonoptional Array(UInt8) CODEC(ZSTD(1)),
  r_reason      Array(Int32) CODEC(ZSTD(1)),
  r_ms          Array(UInt32) CODEC(ZSTD(1)),
  r_records     Array(UInt32) CODEC(ZSTD(1)),
  r_carried     Array(UInt8) CODEC(ZSTD(1)),
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

-- Which days a facts partition vouches for: every machine of the company that it owns and that has hours in the day has a row in
-- `days`. A day counts where all partitions vouch for it. Beside its days a partition has one row with start_ms = end_ms = 0, its
-- own word: only days of its `epoch` count (who takes the partition over begins a new one, and so does a change of calendar: one
-- row voids all days), and before first_ms its machines have no hours, so that it vouches for all days up to there.
-- partitions: how many there are. In one table and no partitions of it, so that an insert of an epoch and its days is one.
CREATE TABLE IF NOT EXISTS day_coverage (
  company    UInt32,
  start_ms   Int64,
  end_ms     Int64,
  partition  UInt32,
  partitions UInt32,
  covered    UInt8,
  first_ms   Int64,
  epoch      UInt64,
  ver        UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (company, start_ms, end_ms, partition);

-- Machines whose hours in a covered day were rewritten, marked before that happens and until their row in `days` is made again.
CREATE TABLE IF NOT EXISTS stale_days (
  company  UInt32,
  start_ms Int64,
  end_ms   Int64,
  machine  UInt32,
  stale    UInt8,
  ver      UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (company, start_ms, end_ms, machine);
