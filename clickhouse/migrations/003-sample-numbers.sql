-- Finds the copies of a sample by its sender's number. Where a sender numbers its samples, the number is a sample's identity:
-- of copies with different times, the first one counts. A copy may come years after the first one.
-- Merges wait for many small parts, as those of raw samples do.
CREATE TABLE IF NOT EXISTS sample_numbers (
  company     UInt32,
  machine     UInt32,
  instance_id Int64 CODEC(ZSTD(1)),
  sequence    Int64 CODEC(Delta, ZSTD(1)),
  at_us       Int64 CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree
ORDER BY (company, machine, instance_id, sequence, at_us)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120, merge_selector_base = 20;

-- The columns of the condition are named with their table: alone, they would be the aliases, which are never null.
CREATE MATERIALIZED VIEW IF NOT EXISTS sample_numbers_view TO sample_numbers AS
SELECT company, machine, assumeNotNull(instance_id) AS instance_id, assumeNotNull(sequence) AS sequence, at_us
FROM deciding_samples WHERE deciding_samples.instance_id IS NOT NULL AND deciding_samples.sequence IS NOT NULL;
