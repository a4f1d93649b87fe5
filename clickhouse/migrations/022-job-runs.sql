-- The standards of each job run, looked up by (company, run) when a report is read, so that a changed job rewrites no history.
-- Values are resolved for the run's machine: its work centre entry, else its groups', else the operation's.
-- Null: there is none; of a threshold, that the operation has none of its own. operation: its ref, 0: it is gone; end_ms:
-- 9007199254740991 while the run is open.
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
  version             UInt64,
  INDEX bounds (start_ms, end_ms) TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, run)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
