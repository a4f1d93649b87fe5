-- The newest value of each metric, for screens that open: a query of the samples would read months of them. Each sample that
-- goes in adds a row, and the newest row stays. Samples are never corrected, so these rows need no correction.
CREATE TABLE IF NOT EXISTS latest_values (
  company UInt32,
  machine UInt32,
  key     LowCardinality(String),
  type    LowCardinality(String),
  subtype LowCardinality(String),
  at_us   Int64,
  value   String
) ENGINE = ReplacingMergeTree(at_us)
ORDER BY (company, machine, key, type, subtype)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480;

CREATE MATERIALIZED VIEW IF NOT EXISTS latest_values_view TO latest_values AS
SELECT company, machine, key, type, subtype, at_us, value FROM samples;
