-- Hours of one machine that hold the same, in years that are older than the product: each content once, with the starts of its hours. A
-- machine whose first sample is dated 2010 has 148,000 hours since, nearly all without a sample. They are stored all the same: an hour
-- that is not stored is one that has yet to be made. Hours with alarms, runs, setups, parts or adjustments are documents in `hours`,
-- and so are hours of later years: reports of these years need not look here.
-- Rows are written for a stretch of hours, [from_slot, until_slot): with the documents that were written with them they are all of its
-- hours, and none of them has a version below `version`. So a stretch replaces whatever is older in it: rows of other stretches and
-- documents. A document of a higher version replaces the hour here.
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

-- The stretches of each machine, and their versions.
CREATE VIEW IF NOT EXISTS hour_stretches AS
SELECT company, machine, groupUniqArray((from_slot, until_slot, version)) AS stretches
FROM repeated_hours FINAL GROUP BY company, machine;

-- Documents that lie in a stretch of a higher version: they do not count.
CREATE VIEW IF NOT EXISTS superseded_hours AS
SELECT company, machine, slot, version
FROM (
  SELECT company, machine, slot, version FROM hours FINAL
  WHERE slot < toDateTime('2025-01-01 00:00:00', 'UTC') AND (company, machine) IN (SELECT company, machine FROM repeated_hours)
) AS documents
INNER JOIN hour_stretches USING (company, machine)
WHERE arrayExists(each -> slot >= each.1 AND slot < each.2 AND version < each.3, stretches);

-- Repeated hours that count, as rows of their own.
CREATE VIEW IF NOT EXISTS unfolded_hours AS
SELECT company, machine, slot, version,
  facts_cell, facts_shift, facts_run, facts_operators, facts_mode, facts_scheduled, facts_non_optional, facts_first,
  facts_last, facts_duration_ms, facts_in_cycle_ms, facts_spindle_ms, facts_cut_ms, facts_parts, facts_adjusted,
  facts_scrap, facts_nonconform, downtime_cell, downtime_shift, downtime_run, downtime_operators, downtime_mode,
  downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason, downtime_record_start_ms,
  hash_in, hash_out, segment_cell, segment_start, segment_end, segment_status, segment_in_cycle, segment_spindle,
  segment_cut, segment_down, segment_reason, segment_shift, segment_run, segment_operators, segment_mode,
  segment_scheduled, segment_non_optional, state_out
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

CREATE OR REPLACE VIEW cycle_states AS
SELECT company, machine, slot, version, setup_at, setup_shift, setup_run, setup_operators, setup_mode, setup_scheduled,
  setup_non_optional, segment_cell, segment_start, segment_end, segment_status, segment_in_cycle, segment_spindle,
  segment_cut, segment_down, segment_reason, segment_shift, segment_run, segment_operators, segment_mode,
  segment_scheduled, segment_non_optional, state_out
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours)
UNION ALL
SELECT company, machine, slot, version, [], [], [], [], [], [], [], segment_cell, segment_start, segment_end, segment_status,
  segment_in_cycle, segment_spindle, segment_cut, segment_down, segment_reason, segment_shift, segment_run, segment_operators, segment_mode,
  segment_scheduled, segment_non_optional, state_out
FROM unfolded_hours;

CREATE OR REPLACE VIEW downtime_states AS
SELECT company, machine, slot, version, downtime_cell, downtime_shift, downtime_run, downtime_operators, downtime_mode,
  downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason, downtime_record_start_ms
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours)
UNION ALL
SELECT company, machine, slot, version, downtime_cell, downtime_shift, downtime_run, downtime_operators, downtime_mode,
  downtime_scheduled, downtime_non_optional, downtime_start, downtime_end, downtime_reason, downtime_record_start_ms
FROM unfolded_hours;

CREATE OR REPLACE VIEW alarm_states AS
SELECT company, machine, slot, version, alarm_key, alarm_code, alarm_message, alarm_level, alarm_start_ms, alarm_end_ms
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours);

CREATE OR REPLACE VIEW part_states AS
SELECT company, machine, slot, version, part_cell, part_at, part_count, part_shift, part_run, part_operators, part_mode,
  part_scheduled, part_non_optional
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours);

CREATE OR REPLACE VIEW adjustment_states AS
SELECT company, machine, slot, version, adjustment_cell, adjustment_at, adjustment_count, adjustment_scrap,
  adjustment_nonconform, adjustment_type, adjustment_shift, adjustment_run, adjustment_operators, adjustment_mode,
  adjustment_scheduled, adjustment_non_optional
FROM hours FINAL WHERE (company, machine, slot, version) NOT IN
  (SELECT company, machine, slot, version FROM superseded_hours);
