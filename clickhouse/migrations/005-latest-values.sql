-- The newest value of each metric, with its category, for screens that open: a query of the samples would read months of them. The
-- writer of samples adds one row for each metric of a block, and the newest row stays. Samples are never corrected, so these rows need
-- no correction. A view on samples would write each of them, fifty times the rows on a busy machine.
CREATE TABLE IF NOT EXISTS latest_values (
  company  UInt32,
  machine  UInt32,
  key      LowCardinality(String),
  type     LowCardinality(String),
  subtype  LowCardinality(String),
  at_us    Int64,
  value    String,
  category LowCardinality(String)
) ENGINE = ReplacingMergeTree(at_us)
ORDER BY (company, machine, key, type, subtype)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
