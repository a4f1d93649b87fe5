-- A sample that its sender numbers is identified by machine, instanceId, sequence and key. Before, the key was not part of it: of two
-- samples with one number and different keys, documents had one. Hours whose samples share numbers are computed again: their
-- documents have a version below this one. Nearly always empty. The tables have new names: several processes may run this file at once.
CREATE TABLE IF NOT EXISTS outdated_hours (
  company UInt32,
  machine UInt32,
  slot    DateTime('UTC'),
  below   UInt64
) ENGINE = ReplacingMergeTree(below)
ORDER BY (company, machine, slot)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Finds the copies of a sample by its number and key, as they were sent. Of copies with different times, the first one counts. A copy
-- may come years after the first one. Merges wait for many small parts, as those of raw samples do.
CREATE TABLE IF NOT EXISTS numbered_samples (
  company     UInt32,
  machine     UInt32,
  instance_id Int64 CODEC(ZSTD(1)),
  sequence    Int64 CODEC(Delta, ZSTD(1)),
  key         LowCardinality(String),
  at_us       Int64 CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree
ORDER BY (company, machine, instance_id, sequence, key, at_us)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120, merge_selector_base = 20;

-- The columns of the condition are named with their table: alone, they would be the aliases, which are never null.
CREATE MATERIALIZED VIEW IF NOT EXISTS numbered_samples_view TO numbered_samples AS
SELECT company, machine, assumeNotNull(instance_id) AS instance_id, assumeNotNull(sequence) AS sequence, key, at_us
FROM deciding_samples WHERE deciding_samples.instance_id IS NOT NULL AND deciding_samples.sequence IS NOT NULL;

INSERT INTO numbered_samples (company, machine, instance_id, sequence, key, at_us)
SELECT company, machine, assumeNotNull(instance_id) AS instance_id, assumeNotNull(sequence) AS sequence, key, at_us
FROM deciding_samples WHERE deciding_samples.instance_id IS NOT NULL AND deciding_samples.sequence IS NOT NULL;

-- Copies of samples that have an earlier copy: readers of deciding samples leave them out. Nearly always empty.
CREATE TABLE IF NOT EXISTS superseded_copies (
  company     UInt32,
  machine     UInt32,
  instance_id Int64,
  sequence    Int64,
  key         LowCardinality(String),
  at_us       Int64
) ENGINE = ReplacingMergeTree
ORDER BY (company, machine, instance_id, sequence, key, at_us)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

INSERT INTO superseded_copies (company, machine, instance_id, sequence, key, at_us)
SELECT company, machine, instance_id, sequence, copy.1 AS key, copy.2 AS at_us
FROM (
  SELECT company, machine, instance_id, sequence, min(at_us) AS first_us, groupUniqArray((key, at_us)) AS copies
  FROM numbered_samples
  GROUP BY company, machine, instance_id, sequence, upperUTF8(replaceRegexpAll(key, '[_\\s]', ''))
  HAVING max(at_us) > first_us)
ARRAY JOIN arrayFilter(each -> each.2 > first_us, copies) AS copy
SETTINGS optimize_aggregation_in_order = 1;

INSERT INTO outdated_hours (company, machine, slot, below)
SELECT company, machine, toDateTime(intDiv(instant_us, 3600000000) * 3600, 'UTC') AS slot,
  (SELECT max(version) + 1 FROM (SELECT version FROM hours UNION ALL SELECT version FROM repeated_hours)) AS below
FROM (
  SELECT company, machine, groupUniqArray(at_us) AS instants
  FROM numbered_samples GROUP BY company, machine, instance_id, sequence HAVING uniqExact(key) > 1)
ARRAY JOIN instants AS instant_us
GROUP BY company, machine, slot
SETTINGS optimize_aggregation_in_order = 1;

DROP VIEW IF EXISTS sample_numbers_view;

DROP TABLE IF EXISTS sample_numbers SETTINGS max_table_size_to_drop = 0;

DROP TABLE IF EXISTS superseded_samples SETTINGS max_table_size_to_drop = 0;
