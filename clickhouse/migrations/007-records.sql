-- The plant's records as the log has them, written before a change is answered; a projection, to be rebuilt from the log at any
-- time. A row's version is the offset of the command that made it, so that projecting an entry again replaces it by itself.
-- company: the company's id, '' for what belongs to none; ref: 0 for kinds without one; json: of a deleted record, what it was last.
CREATE TABLE IF NOT EXISTS records (
  company        LowCardinality(String),
  kind           LowCardinality(String),
  id             String,
  ref            UInt32,
  json           String CODEC(ZSTD(3)),
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
ORDER BY (company, kind, id);

-- What a run is worth now, looked up by (company, run) at read time, so that a changed job rewrites no history. Values are
-- resolved for the run's machine: its work centre entry, else its groups', else the operation's. Null: there is none; of a
-- threshold, that the operation has none of its own. operation: its ref, 0: it is gone; end_ms: 9007199254740991 while it is open.
CREATE TABLE IF NOT EXISTS job_runs (
  company             UInt32,
  run                 UInt32,
  machine             UInt32,
  operation           UInt32,
  start_ms            Int64,
  end_ms              Int64,
  multiplier          Float64,
  ideal_part_ms       Nullable(Float64),
  expected_part_ms    Nullable(Float64),
  expected_setup_ms   Float64,
  oee_warning         Nullable(Float64),
  oee_failure         Nullable(Float64),
  parts_goal_warning  Nullable(Float64),
  parts_goal_failure  Nullable(Float64),
  utilization_warning Nullable(Float64),
  utilization_failure Nullable(Float64),
  ver                 UInt64,
  INDEX bounds (start_ms, end_ms) TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (company, run);

-- Ints given out to what groups alarms by native code: one per distinct code, message and level.
CREATE TABLE IF NOT EXISTS native_codes (
  company UInt32,
  code    String,
  message String,
  level   UInt8,
  id      Int32,
  ver     UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (company, code, message, level);
