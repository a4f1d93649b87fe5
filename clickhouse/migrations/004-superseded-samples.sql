-- Copies of samples that another copy stands for: readers of deciding samples leave them out. Nearly always empty.
CREATE TABLE IF NOT EXISTS superseded_samples (
  company     UInt32,
  machine     UInt32,
  instance_id Int64,
  sequence    Int64,
  at_us       Int64
) ENGINE = ReplacingMergeTree
ORDER BY (company, machine, instance_id, sequence, at_us)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
