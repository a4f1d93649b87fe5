-- Samples that decide a machine's state, about one in fifty: hours are recomputed from them, so they are kept for ever.
-- The day comes before the machine in the order: the processors read some hours of many machines, or all hours of a few.
-- Merges wait for many small parts, as those of raw samples do.
CREATE TABLE IF NOT EXISTS deciding_samples (
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
  at              DateTime64(6, 'UTC') ALIAS fromUnixTimestamp64Micro(at_us, 'UTC')
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Micro(at_us, 'UTC'))
PRIMARY KEY (company, intDiv(at_us, 86400000000), machine, at_us)
ORDER BY (company, intDiv(at_us, 86400000000), machine, at_us, key, instance_id, sequence, type, subtype, category, value, native_code, native_severity, qualifier, message)
SETTINGS allow_nullable_key = 1, index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120, merge_selector_base = 20;
