-- Raw samples, as they came: charts and the timeline read them.
-- All of a sample's content is in the order of the table, so that only exact repeats (a replayed log) collapse; of copies that
-- differ, the reader picks. The order suits a chart of one key of one machine. The configuration sets the retention, on the
-- TTL.
-- Samples are packed into few bytes, by which merges are chosen: they wait for many small parts, so that not all rows are written again
-- and again.
CREATE TABLE IF NOT EXISTS samples (
  company         UInt32,
  machine         UInt32,
  at_us           Int64 CODEC(Delta, ZSTD(1)),
  key             LowCardinality(String),
  type            LowCardinality(String),
  subtype         LowCardinality(String),
  category        LowCardinality(String),
  value           String CODEC(ZSTD(1)),
  native_code     LowCardinality(String),
  native_severity LowCardinality(String),
  qualifier       LowCardinality(String),
  message         String CODEC(ZSTD(1)),
  instance_id     Nullable(Int64) CODEC(ZSTD(1)),
  sequence        Nullable(Int64) CODEC(Delta, ZSTD(1)),
  at              DateTime64(6, 'UTC') ALIAS fromUnixTimestamp64Micro(at_us, 'UTC'),
  number          Nullable(Float64) ALIAS toFloat64OrNull(value)
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Micro(at_us, 'UTC'))
PRIMARY KEY (company, machine, key, at_us)
ORDER BY (company, machine, key, at_us, instance_id, sequence, type, subtype, category, value, native_code, native_severity, qualifier, message)
TTL toDateTime(intDiv(at_us, 1000000), 'UTC') + INTERVAL 180 DAY
SETTINGS allow_nullable_key = 1, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120, merge_selector_base = 20;
