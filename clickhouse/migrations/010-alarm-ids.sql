-- Ints given out to alarm instances, in the two orders that pages of them are read in: each page is a short range. An instance is
-- (machine, key, code, start, level); its id stays whatever is recomputed. `alarm_ids_by_id` is written first and `alarm_ids`
-- decides what has an id: an id that a crash left in the first one alone is given out again, and the later row stands.
CREATE TABLE IF NOT EXISTS alarm_ids (
  company  UInt32,
  machine  UInt32,
  key      LowCardinality(String),
  code     LowCardinality(String),
  level    UInt8,
  start_ms Int64,
  id       Int32,
  ver      UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (company, start_ms, id)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS alarm_ids_by_id (
  company  UInt32,
  machine  UInt32,
  key      LowCardinality(String),
  code     LowCardinality(String),
  level    UInt8,
  start_ms Int64,
  id       Int32,
  ver      UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (company, id)
SETTINGS index_granularity = 1024;

-- A filter by the id of a native code asks what the id stands for.
ALTER TABLE native_codes ADD INDEX IF NOT EXISTS by_id id TYPE minmax GRANULARITY 1;

-- Up to which version of its documents a partition of facts has announced their alarm instances: who takes it over goes on there.
CREATE TABLE IF NOT EXISTS alarm_progress (
  partition UInt32,
  ver       UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY partition;

-- Documents from a version on are few, and mostly the newest: found without a look at the others.
ALTER TABLE alarm_states ADD INDEX IF NOT EXISTS by_version ver TYPE minmax GRANULARITY 1;
