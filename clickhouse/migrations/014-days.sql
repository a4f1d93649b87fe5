-- Documents of days, one row per machine and whole shop day: its hours added up, for reports over many days.
-- One statement of the engine makes them of `hours`; they are read only where `day_coverage` and `stale_days` say that they
-- equal the hours. A row belongs to the bounds of its day, which a change of time zone or start of day moves: a reader asks for
-- the bounds it means. Offsets are ms from start_ms; the arrays of one group have one length:
--   - facts: measures that add up, per dimensions; first and last: the first and the last moment of them
--   - downtime: downtime by reason, per dimensions; records: how many records begin in it; carried: 1 where one goes on from
--     before the day; within: how many records that begin in it lie wholly within the day (a record that ends with the day
--     might go on) and its shift and run; lengths_ms: their lengths, ascending, at most 3600000, as no microstop is longer
--   - spanning: the other records, once for each shift and run that they lie in on the day: when the whole record began, UTC
--     ms, and when the last of it ends that lies in the day
--   - setup: runs that start in setup
-- Parts are months, and years before the product, as those of `hours`.
-- A machine has no more spanning records than changes of day, shift and run. Of the other records, which are most, the number
-- and the lengths are enough: reports count records by shift or run with them, and leave out microstops.
CREATE TABLE IF NOT EXISTS days (
  company                  UInt32,
  machine                  UInt32,
  shop_date                Date32,
  start_ms                 Int64,
  end_ms                   Int64,
  version                  UInt64 CODEC(ZSTD(1)),
  facts_shift              Array(UInt32) CODEC(LZ4),
  facts_run                Array(UInt32) CODEC(LZ4),
  facts_operators          Array(Array(UInt32)) CODEC(LZ4),
  facts_mode               Array(UInt8) CODEC(LZ4),
  facts_scheduled          Array(UInt8) CODEC(LZ4),
  facts_non_optional       Array(UInt8) CODEC(LZ4),
  facts_first              Array(UInt32) CODEC(LZ4),
  facts_last               Array(UInt32) CODEC(LZ4),
  facts_duration_ms        Array(UInt32) CODEC(LZ4),
  facts_in_cycle_ms        Array(UInt32) CODEC(LZ4),
  facts_spindle_ms         Array(UInt32) CODEC(LZ4),
  facts_cut_ms             Array(UInt32) CODEC(LZ4),
  facts_parts              Array(Float64) CODEC(LZ4),
  facts_adjusted           Array(Float64) CODEC(LZ4),
  facts_scrap              Array(Float64) CODEC(LZ4),
  facts_nonconform         Array(Float64) CODEC(LZ4),
  downtime_shift           Array(UInt32) CODEC(LZ4),
  downtime_run             Array(UInt32) CODEC(LZ4),
  downtime_operators       Array(Array(UInt32)) CODEC(LZ4),
  downtime_mode            Array(UInt8) CODEC(LZ4),
  downtime_scheduled       Array(UInt8) CODEC(LZ4),
  downtime_non_optional    Array(UInt8) CODEC(LZ4),
  downtime_reason          Array(Int32) CODEC(LZ4),
  downtime_duration_ms     Array(UInt32) CODEC(LZ4),
  downtime_records         Array(UInt32) CODEC(LZ4),
  downtime_carried         Array(UInt8) CODEC(LZ4),
  downtime_within          Array(UInt32) CODEC(LZ4),
  downtime_lengths_ms      Array(Array(UInt32)) CODEC(T64, LZ4),
  spanning_record_start_ms Array(Int64) CODEC(LZ4),
  spanning_shift           Array(UInt32) CODEC(LZ4),
  spanning_run             Array(UInt32) CODEC(LZ4),
  spanning_reason          Array(Int32) CODEC(LZ4),
  spanning_end             Array(UInt32) CODEC(LZ4),
  setup_at                 Array(UInt32) CODEC(LZ4),
  setup_shift              Array(UInt32) CODEC(LZ4),
  setup_run                Array(UInt32) CODEC(LZ4),
  setup_operators          Array(Array(UInt32)) CODEC(LZ4),
  setup_mode               Array(UInt8) CODEC(LZ4),
  setup_scheduled          Array(UInt8) CODEC(LZ4),
  setup_non_optional       Array(UInt8) CODEC(LZ4)
) ENGINE = ReplacingMergeTree(version)
PARTITION BY if(shop_date < toDate32('2025-01-01'), toYear(shop_date) * 100, toYYYYMM(shop_date))
ORDER BY (company, shop_date, machine, start_ms, end_ms)
SETTINGS min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
