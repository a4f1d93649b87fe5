-- Every change of a record that is someone's doing, as the log has it, written before anybody reads what was answered; a projection,
-- to be rebuilt from the log at any time. Secrets are redacted already here.
-- change: the place within its command, so that a row written again replaces itself. before, after: JSON, '' where there is
-- none.
CREATE TABLE IF NOT EXISTS audit (
  company        LowCardinality(String),
  command_offset UInt64,
  change         UInt32,
  at             DateTime64(3, 'UTC'),
  actor          String,
  actor_kind     LowCardinality(String),
  actor_name     String,
  command        LowCardinality(String),
  kind           LowCardinality(String),
  id             String,
  fields         Array(LowCardinality(String)),
  before         String CODEC(ZSTD(3)),
  after          String CODEC(ZSTD(3)),
  INDEX ids id TYPE bloom_filter GRANULARITY 1,
  INDEX actors actor TYPE bloom_filter GRANULARITY 1,
  INDEX kinds kind TYPE set(20) GRANULARITY 1,
  INDEX times at TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree
ORDER BY (company, command_offset, change)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
