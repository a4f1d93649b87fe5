-- Every sample as it came. All of its content is in the order, so that only exact repeats (a replayed log) collapse; of copies
-- that differ the reader picks. Ordered for a chart of one key of one machine. Retention is set by configuration, on the TTL.
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
SETTINGS allow_nullable_key = 1, ttl_only_drop_parts = 1;

-- What decides state, about one sample in fifty, kept for ever: hours are recomputed from it. Ordered by day before machine:
-- the processors read some hours of many machines, or all hours of a few.
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
SETTINGS allow_nullable_key = 1, index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
