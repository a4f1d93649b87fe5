-- Hours of one machine that hold the same, in years that are older than the product: each content once, with the starts of its hours. A
-- machine whose first sample is dated 2010 has 148,000 hours since in which nothing happens. That nothing happened is stored all the
-- same: an hour without a document is one that has yet to be made. Hours with alarms, runs, setups, parts or adjustments are documents
-- in `hours` themselves, and so are hours of later years: reports of these years need not look here.
-- An hour may be in both tables, or here more than once: that of the highest version counts. Rows of the same hours replace each other.
CREATE TABLE IF NOT EXISTS repeated_hours (
  company                  UInt32,
  machine                  UInt32,
  first_slot               DateTime('UTC'),
  last_slot                DateTime('UTC'),
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
ORDER BY (company, machine, first_slot, cityHash64(slots))
SETTINGS index_granularity = 64, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120,
  min_bytes_for_wide_part = 268435456;

-- Versions of hours that do not count, as there is a higher one of the hour, where one of the two is a repeated hour.
CREATE VIEW IF NOT EXISTS superseded_hours AS
SELECT company, machine, slot, arrayJoin(arrayPopBack(arraySort(versions))) AS version
FROM (
  SELECT company, machine, slot, groupArray(version) AS versions
  FROM (
    SELECT company, machine, slot, version FROM hours FINAL
    WHERE (company, machine) IN (SELECT company, machine FROM repeated_hours)
    UNION ALL
    SELECT company, machine, slot, version FROM repeated_hours FINAL ARRAY JOIN slots AS slot
  )
  GROUP BY company, machine, slot
  HAVING length(versions) > 1
);

CREATE OR REPLACE VIEW cycle_states AS
SELECT company, machine, slot, version, setup_at, setup_shift, setup_run, setup_operators, setup_mode, setup_scheduled,
  setup_non_optional, segment_cell, segment_start, segment_end, segment_status, segment_in_cycle, segment_spindle,
  segment_cut, segment_down, segment_reason, segment_shift, segment_run, segment_operators, segment_mode,
  segment_scheduled, segment_non_optional, state_out
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours)
UNION ALL
SELECT company, machine, slot, version, [], [], [], [], [], [],
  [], segment_cell, segment_start, segment_end, segment_status, segment_in_cycle, segment_spindle,
  segment_cut, segment_down, segment_reason, segment_shift, segment_run, segment_operators, segment_mode,
  segment_scheduled, segment_non_optional, state_out
FROM repeated_hours FINAL ARRAY JOIN slots AS slot WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours);

CREATE OR REPLACE VIEW downtime_states AS
SELECT company, machine, slot, version, downtime_cell, downtime_shift, downtime_run, downtime_operators, downtime_mode,
  downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason, downtime_record_start_ms
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours)
UNION ALL
SELECT company, machine, slot, version, downtime_cell, downtime_shift, downtime_run, downtime_operators, downtime_mode,
  downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason, downtime_record_start_ms
FROM repeated_hours FINAL ARRAY JOIN slots AS slot WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours);
