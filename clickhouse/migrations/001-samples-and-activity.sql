-- Samples, their numbers, and the activity of machines. Merges of tables with many small inserts wait for many parts
-- (merge_selector_base).

-- Raw samples, for charts and timelines. The order contains every column, so that only exact repeats collapse;
-- readers choose between copies that differ. The retention is a setting, which changes the TTL.
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

-- State samples, about 2 % of all: the processors compute documents from them, so they have no TTL. The day precedes
-- the machine in the order, because the processors read some hours of many machines, or all hours of a few.
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

-- The numbered state samples, by number and key. Of copies with different times the first one counts; a copy may come
-- years after it.
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

-- The condition names the columns of the table: alone, the names would mean the aliases, which are never null.
CREATE MATERIALIZED VIEW IF NOT EXISTS numbered_samples_view TO numbered_samples AS
SELECT company, machine, assumeNotNull(instance_id) AS instance_id, assumeNotNull(sequence) AS sequence, key, at_us
FROM deciding_samples WHERE deciding_samples.instance_id IS NOT NULL AND deciding_samples.sequence IS NOT NULL;

-- Copies of a sample that has an earlier copy; readers of state samples exclude them. Nearly always empty.
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

-- The newest value of each metric, with its category. The writer of samples adds one row per metric and block; a view
-- of `samples` would write fifty times as many rows.
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

-- First and last sample of any key per machine and UTC minute, in ms of the minute. Gaps of 60 s and more are exact,
-- so that stale periods can be computed again after raw samples have expired. Repeats and late rows merge by min and
-- max.
CREATE TABLE IF NOT EXISTS seen_minutes (
  company  UInt32,
  machine  UInt32,
  minute   DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  first_ms SimpleAggregateFunction(min, UInt16) CODEC(ZSTD(1)),
  last_ms  SimpleAggregateFunction(max, UInt16) CODEC(ZSTD(1))
) ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (company, toDate(minute), machine, minute)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120, merge_selector_base = 20;

-- The first sample of each machine, UTC ms. The processors write it if it is earlier than the known one.
CREATE TABLE IF NOT EXISTS machine_first_seen (
  company  UInt32,
  machine  UInt32,
  first_ms SimpleAggregateFunction(min, Int64)
) ENGINE = AggregatingMergeTree
ORDER BY (company, machine)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
