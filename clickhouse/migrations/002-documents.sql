-- Documents of hours and days, the progress of processors, and the ids of alarms.

-- Documents of hours: one row per machine and UTC hour. A correction is a row with a higher version. Offsets are ms
-- from the slot. The arrays of one group have equal lengths:
--   - facts: additive measures by cell and dimensions; a cell is the part of the hour in one local hour and one shop
--     day
--   - downtime: elements of downtime, split at cells and dimensions; record_start_ms: start of the whole record, UTC
--     ms
--   - alarm: alarm instances that are active in the hour; end_ms: UTC ms, 9007199254740991 if the instance lasts
--     longer than the hour
--   - setup: runs that start in setup
--   - segment: intervals of constant state; status: 0 UNAVAILABLE, 1 INACTIVE, 2 ACTIVE, 3 FAULT; reason: reason of
--     the downtime
--   - part: parts by instant
--   - adjustment: part adjustments by instant; type: id of the adjustment type, 0 without one
-- mode: 0 none, 1 setup, 2 production; level: 1 WARNING, 2 FAULT; reason: 0 uncategorized, -1 setup. state_out: state
-- from which the next hour starts.
-- A document is one row of one table, because the cost of an insert depends on the number of parts, hardly on that of
-- columns. The hour precedes the machine in the order: an hour of a whole plant is one range.
-- Reports read facts and downtime most often, and LZ4 decompresses in half the time of ZSTD. Hashes and mostly empty
-- lists use LZ4 too, because each block of ZSTD costs time in a small insert.
-- Partitions are months; before 2025, years: a machine with a first sample of 2010 has documents since then, and many
-- parts are slow. A part of up to 256 MB is one file.
-- The index of versions finds the newest documents.
CREATE TABLE IF NOT EXISTS hours (
  company                  UInt32,
  machine                  UInt32,
  slot                     DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  version                  UInt64 CODEC(ZSTD(1)),
  facts_cell               Array(UInt32) CODEC(LZ4),
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
  downtime_cell            Array(UInt32) CODEC(LZ4),
  downtime_shift           Array(UInt32) CODEC(LZ4),
  downtime_run             Array(UInt32) CODEC(LZ4),
  downtime_operators       Array(Array(UInt32)) CODEC(LZ4),
  downtime_mode            Array(UInt8) CODEC(LZ4),
  downtime_scheduled       Array(UInt8) CODEC(LZ4),
  downtime_non_optional    Array(UInt8) CODEC(LZ4),
  downtime_start           Array(UInt32) CODEC(LZ4),
  downtime_end             Array(UInt32) CODEC(LZ4),
  downtime_reason          Array(Int32) CODEC(LZ4),
  downtime_record_start_ms Array(Int64) CODEC(LZ4),
  alarm_key                Array(LowCardinality(String)),
  alarm_code               Array(LowCardinality(String)),
  alarm_message            Array(String) CODEC(ZSTD(1)),
  alarm_level              Array(UInt8) CODEC(LZ4),
  alarm_start_ms           Array(Int64) CODEC(LZ4),
  alarm_end_ms             Array(Int64) CODEC(LZ4),
  setup_at                 Array(UInt32) CODEC(LZ4),
  setup_shift              Array(UInt32) CODEC(LZ4),
  setup_run                Array(UInt32) CODEC(LZ4),
  setup_operators          Array(Array(UInt32)) CODEC(LZ4),
  setup_mode               Array(UInt8) CODEC(LZ4),
  setup_scheduled          Array(UInt8) CODEC(LZ4),
  setup_non_optional       Array(UInt8) CODEC(LZ4),
  hash_in                  UInt64 CODEC(LZ4),
  hash_out                 UInt64 CODEC(LZ4),
  segment_cell             Array(UInt32) CODEC(ZSTD(1)),
  segment_start            Array(UInt32) CODEC(ZSTD(1)),
  segment_end              Array(UInt32) CODEC(ZSTD(1)),
  segment_status           Array(UInt8) CODEC(ZSTD(1)),
  segment_in_cycle         Array(UInt8) CODEC(ZSTD(1)),
  segment_spindle          Array(UInt8) CODEC(ZSTD(1)),
  segment_cut              Array(UInt8) CODEC(ZSTD(1)),
  segment_down             Array(UInt8) CODEC(ZSTD(1)),
  segment_reason           Array(Int32) CODEC(ZSTD(1)),
  segment_shift            Array(UInt32) CODEC(ZSTD(1)),
  segment_run              Array(UInt32) CODEC(ZSTD(1)),
  segment_operators        Array(Array(UInt32)) CODEC(ZSTD(1)),
  segment_mode             Array(UInt8) CODEC(ZSTD(1)),
  segment_scheduled        Array(UInt8) CODEC(ZSTD(1)),
  segment_non_optional     Array(UInt8) CODEC(ZSTD(1)),
  state_out                String CODEC(ZSTD(3)),
  part_cell                Array(UInt32) CODEC(ZSTD(1)),
  part_at                  Array(UInt32) CODEC(ZSTD(1)),
  part_count               Array(Float64) CODEC(ZSTD(1)),
  part_shift               Array(UInt32) CODEC(ZSTD(1)),
  part_run                 Array(UInt32) CODEC(ZSTD(1)),
  part_operators           Array(Array(UInt32)) CODEC(ZSTD(1)),
  part_mode                Array(UInt8) CODEC(ZSTD(1)),
  part_scheduled           Array(UInt8) CODEC(ZSTD(1)),
  part_non_optional        Array(UInt8) CODEC(ZSTD(1)),
  adjustment_cell          Array(UInt32) CODEC(LZ4),
  adjustment_at            Array(UInt32) CODEC(LZ4),
  adjustment_count         Array(Float64) CODEC(LZ4),
  adjustment_scrap         Array(Float64) CODEC(LZ4),
  adjustment_nonconform    Array(Float64) CODEC(LZ4),
  adjustment_type          Array(Int32) CODEC(LZ4),
  adjustment_shift         Array(UInt32) CODEC(LZ4),
  adjustment_run           Array(UInt32) CODEC(LZ4),
  adjustment_operators     Array(Array(UInt32)) CODEC(LZ4),
  adjustment_mode          Array(UInt8) CODEC(LZ4),
  adjustment_scheduled     Array(UInt8) CODEC(LZ4),
  adjustment_non_optional  Array(UInt8) CODEC(LZ4),
  INDEX by_version version TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(version)
PARTITION BY if(slot < toDateTime('2025-01-01 00:00:00', 'UTC'), toYear(slot) * 100, toYYYYMM(slot))
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120, min_bytes_for_wide_part = 268435456;

-- Equal hours of one machine before 2025: each content once, with the starts of its hours. Hours with alarms, runs,
-- setups, parts or adjustments are in `hours`. Every hour has a document, so a machine with a first sample of 2010
-- has about 148,000 hours, nearly all without samples.
-- A row belongs to a range of hours [from_slot, until_slot). All hours of the range were written together, with
-- documents in `hours`, and none has a version below `version`. So the range replaces older rows and documents in it.
-- A document with a higher version replaces the hour.
CREATE TABLE IF NOT EXISTS repeated_hours (
  company                  UInt32,
  machine                  UInt32,
  from_slot                DateTime('UTC'),
  until_slot               DateTime('UTC'),
  slots                    Array(DateTime('UTC')) CODEC(Delta, ZSTD(1)),
  version                  UInt64,
  facts_cell               Array(UInt32) CODEC(LZ4),
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
  downtime_cell            Array(UInt32) CODEC(LZ4),
  downtime_shift           Array(UInt32) CODEC(LZ4),
  downtime_run             Array(UInt32) CODEC(LZ4),
  downtime_operators       Array(Array(UInt32)) CODEC(LZ4),
  downtime_mode            Array(UInt8) CODEC(LZ4),
  downtime_scheduled       Array(UInt8) CODEC(LZ4),
  downtime_non_optional    Array(UInt8) CODEC(LZ4),
  downtime_start           Array(UInt32) CODEC(LZ4),
  downtime_end             Array(UInt32) CODEC(LZ4),
  downtime_reason          Array(Int32) CODEC(LZ4),
  downtime_record_start_ms Array(Int64) CODEC(LZ4),
  hash_in                  UInt64 CODEC(LZ4),
  hash_out                 UInt64 CODEC(LZ4),
  segment_cell             Array(UInt32) CODEC(ZSTD(1)),
  segment_start            Array(UInt32) CODEC(ZSTD(1)),
  segment_end              Array(UInt32) CODEC(ZSTD(1)),
  segment_status           Array(UInt8) CODEC(ZSTD(1)),
  segment_in_cycle         Array(UInt8) CODEC(ZSTD(1)),
  segment_spindle          Array(UInt8) CODEC(ZSTD(1)),
  segment_cut              Array(UInt8) CODEC(ZSTD(1)),
  segment_down             Array(UInt8) CODEC(ZSTD(1)),
  segment_reason           Array(Int32) CODEC(ZSTD(1)),
  segment_shift            Array(UInt32) CODEC(ZSTD(1)),
  segment_run              Array(UInt32) CODEC(ZSTD(1)),
  segment_operators        Array(Array(UInt32)) CODEC(ZSTD(1)),
  segment_mode             Array(UInt8) CODEC(ZSTD(1)),
  segment_scheduled        Array(UInt8) CODEC(ZSTD(1)),
  segment_non_optional     Array(UInt8) CODEC(ZSTD(1)),
  state_out                String CODEC(ZSTD(3))
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, machine, from_slot, until_slot, cityHash64(slots))
SETTINGS index_granularity = 64, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120,
  min_bytes_for_wide_part = 268435456;

-- The ranges of `repeated_hours` of each machine, with their versions.
CREATE VIEW IF NOT EXISTS hour_stretches AS
SELECT company, machine, groupUniqArray((from_slot, until_slot, version)) AS stretches
FROM repeated_hours FINAL GROUP BY company, machine;

-- Documents in a range of `repeated_hours` with a higher version: readers exclude them.
CREATE VIEW IF NOT EXISTS superseded_hours AS
SELECT company, machine, slot, version
FROM (
  SELECT company, machine, slot, version FROM hours FINAL
  WHERE slot < toDateTime('2025-01-01 00:00:00', 'UTC') AND (company, machine) IN (SELECT company, machine FROM repeated_hours)
) AS documents
INNER JOIN hour_stretches USING (company, machine)
WHERE arrayExists(each -> slot >= each.1 AND slot < each.2 AND version < each.3, stretches);

-- Valid hours of `repeated_hours`, one row each.
CREATE VIEW IF NOT EXISTS unfolded_hours AS
SELECT company, machine, slot, version, COLUMNS('^(facts|downtime|hash|segment)_'), state_out
FROM (
  SELECT *, arrayFilter(
    hour -> NOT arrayExists(each -> hour >= each.1 AND hour < each.2 AND version < each.3, stretches), slots) AS counting
  FROM (SELECT * FROM repeated_hours FINAL) AS rows
  INNER JOIN hour_stretches USING (company, machine)
)
ARRAY JOIN counting AS slot
WHERE (company, machine, slot) NOT IN (
  SELECT company, machine, slot FROM hours FINAL
  WHERE slot < toDateTime('2025-01-01 00:00:00', 'UTC') AND (company, machine) IN (SELECT company, machine FROM repeated_hours)
    AND (company, machine, slot, version) NOT IN (SELECT company, machine, slot, version FROM superseded_hours));

-- Views for SQL users: the newest version of every hour, by content. Segments of constant state:
CREATE VIEW IF NOT EXISTS cycle_states AS
SELECT company, machine, slot, version, COLUMNS('^setup_'), COLUMNS('^segment_'), state_out
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours)
UNION ALL
SELECT company, machine, slot, version, [], [], [], [], [], [], [], COLUMNS('^segment_'), state_out FROM unfolded_hours;

-- Downtime:
CREATE VIEW IF NOT EXISTS downtime_states AS
SELECT company, machine, slot, version, COLUMNS('^downtime_')
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours)
UNION ALL
SELECT company, machine, slot, version, COLUMNS('^downtime_') FROM unfolded_hours;

-- Alarm instances:
CREATE VIEW IF NOT EXISTS alarm_states AS
SELECT company, machine, slot, version, COLUMNS('^alarm_')
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours);

-- Parts:
CREATE VIEW IF NOT EXISTS part_states AS
SELECT company, machine, slot, version, COLUMNS('^part_')
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours);

-- Part adjustments:
CREATE VIEW IF NOT EXISTS adjustment_states AS
SELECT company, machine, slot, version, COLUMNS('^adjustment_')
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours);

-- Documents of days: one row per machine and whole shop day, the sum of its hours, for reports over many days. A
-- statement computes them from `hours`. Reports read a day only if `day_coverage` and `stale_days` show that it
-- equals its hours. The bounds of a day depend on the time zone and the start of day, so a reader names them. Offsets
-- are ms from start_ms. The arrays of one group have equal lengths:
--   - facts: additive measures by dimensions; first, last: offsets of the first and the last of them
--   - downtime: downtime by reason and dimensions; records: number of records that begin in it; carried: 1 if one
--     continues from before the day; within: number of records that begin and end within the day, its shift and its
--     run; lengths_ms: their lengths, ascending, at most 3600000, the limit of microstops
--   - spanning: the other records, once per shift and run of the day; start of the whole record, UTC ms, and end of
--     its last part in the day
--   - setup: runs that start in setup
-- Reports that count records by shift or run, or exclude microstops, need only numbers and lengths of most records.
-- The spanning records of a machine are at most as many as changes of day, shift and run.
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

-- Days that a partition of state samples covers: each of its machines with hours in the day has a row in `days`.
-- Reports read a day if all partitions cover it.
-- The row with start_ms = end_ms = 0 is the ownership row of the partition: only days with its epoch are valid. A new
-- owner, or a change of the calendar, begins a new epoch. The machines of the partition have no hours before
-- first_ms. partitions: number of partitions.
-- The table is not partitioned, so that one insert writes an epoch with its days.
CREATE TABLE IF NOT EXISTS day_coverage (
  company    UInt32,
  start_ms   Int64,
  end_ms     Int64,
  partition  UInt32,
  partitions UInt32,
  covered    UInt8,
  first_ms   Int64,
  epoch      UInt64,
  version    UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, start_ms, end_ms, partition)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Machines of a covered day whose hours change: marked before the change, until the row in `days` is computed again.
CREATE TABLE IF NOT EXISTS stale_days (
  company  UInt32,
  start_ms Int64,
  end_ms   Int64,
  machine  UInt32,
  stale    UInt8,
  version  UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, start_ms, end_ms, machine)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Offset in records.v1 up to which the documents of a partition contain the changes of records.
CREATE TABLE IF NOT EXISTS process_progress (
  partition      UInt32,
  records_offset Int64,
  version        UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY partition
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Ids of alarm instances, in the two orders of pages. An instance is (machine, key, code, start, level) and keeps its
-- id. Rows are written to `alarm_ids_by_id` first; an id that a crash left only there is assigned again, with a later
-- row.
CREATE TABLE IF NOT EXISTS alarm_ids (
  company  UInt32,
  machine  UInt32,
  key      LowCardinality(String),
  code     LowCardinality(String),
  level    UInt8,
  start_ms Int64,
  id       Int32,
  version  UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, start_ms, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS alarm_ids_by_id (
  company  UInt32,
  machine  UInt32,
  key      LowCardinality(String),
  code     LowCardinality(String),
  level    UInt8,
  start_ms Int64,
  id       Int32,
  version  UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Ids of native codes: one per code, message and level.
CREATE TABLE IF NOT EXISTS native_codes (
  company     UInt32,
  code        String,
  message     String,
  level       UInt8,
  id          Int32,
  version     UInt64,
  INDEX by_id id TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, code, message, level)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Version of documents up to which the alarm instances of a partition have ids.
CREATE TABLE IF NOT EXISTS alarm_progress (
  partition UInt32,
  version   UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY partition
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
