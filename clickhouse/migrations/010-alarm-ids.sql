-- The ids of alarm instances once more, in the order of the ids: a page of instances that starts from an id is a range here, as one
-- that starts from an instant is in `alarm_ids`. Written before `alarm_ids`, which decides what has an id: after a crash between
-- the two, an id may be given to another instance here, and the later row stands.
CREATE TABLE IF NOT EXISTS alarm_ids_by_id (
  company  UInt32,
  id       Int32,
  machine  UInt32,
  key      LowCardinality(String),
  code     LowCardinality(String),
  level    UInt8,
  start_ms Int64,
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
