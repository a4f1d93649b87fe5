-- Records, and copies of them in other orders. Null tables (`…_in`) receive the rows of a kind, and views copy them:
-- views of `records` itself would slow each of its inserts. Copies are written before `records`.

-- The records of the plant. The version of a row is the offset of its command, so that a repeated insert replaces
-- itself. company: '' for records of the installation; ref: 0 for kinds without one; json: for a deleted record, its
-- last state.
CREATE TABLE IF NOT EXISTS records (
  company        LowCardinality(String),
  kind           LowCardinality(String),
  id             String,
  ref            UInt32,
  json           String CODEC(ZSTD(3)),
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
ORDER BY (company, kind, id)
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Keys by id and by hash, users and sessions by id: the lookups of each request.
CREATE TABLE IF NOT EXISTS credentials (
  lookup         String,
  json           String,
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
ORDER BY lookup
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS credentials_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS credentials_of_records TO credentials AS
SELECT
  arrayJoin(if(kind = 'key', [id, JSONExtractString(json, 'hash')], [id])) AS lookup,
  json,
  deleted,
  command_offset
FROM credentials_in
WHERE kind IN ('key', 'user', 'session');

-- Ids of users by email address in lower case, which users of several companies may share. Rows are not deleted; the
-- user in `credentials` has the current address.
CREATE TABLE IF NOT EXISTS user_emails (
  email String,
  id    String
) ENGINE = ReplacingMergeTree
ORDER BY (email, id)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE MATERIALIZED VIEW IF NOT EXISTS user_emails_of_records TO user_emails AS
SELECT JSONExtractString(json, 'email') AS email, id FROM credentials_in WHERE kind = 'user';

-- Tables by time and machine: in the order of 30 days, machine and start, so that a query reads few granules of a range,
-- of all machines or of one, however long the history is. Each partition is a year, because FINAL merges the parts of
-- one partition; later years share one, because any year up to 9999 may be requested.

-- Annotations by time and machine. If a change moves an annotation, the projection marks its previous position as
-- deleted, with the version of the change. `ends` finds the annotations that extend beyond an instant.
CREATE TABLE IF NOT EXISTS annotations (
  company        LowCardinality(String),
  machine_id     LowCardinality(String),
  start_ms       Int64,
  id             String,
  end_ms         Nullable(Int64),
  reason         Int32,
  note           String CODEC(ZSTD(1)),
  ends_with_stop UInt8,
  deleted        UInt8,
  command_offset UInt64,
  INDEX ends end_ms TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(command_offset)
PARTITION BY least(toYear(fromUnixTimestamp64Milli(start_ms, 'UTC')), 2100)
ORDER BY (company, intDiv(start_ms, 2592000000), machine_id, start_ms, id)
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS annotations_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS annotations_of_records TO annotations AS
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  id,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  toInt32(JSONExtractInt(json, 'reasonId')) AS reason,
  JSONExtractString(json, 'note') AS note,
  JSONExtractBool(json, 'endsWithStop') AS ends_with_stop,
  deleted,
  command_offset
FROM annotations_in
WHERE kind = 'annotation';

-- Operator runs by time and machine. Their machine and start never change.
CREATE TABLE IF NOT EXISTS operator_runs (
  company        LowCardinality(String),
  machine_id     LowCardinality(String),
  start_ms       Int64,
  id             String,
  end_ms         Nullable(Int64),
  operator_id    String,
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
PARTITION BY least(toYear(fromUnixTimestamp64Milli(start_ms, 'UTC')), 2100)
ORDER BY (company, intDiv(start_ms, 2592000000), machine_id, start_ms, id)
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS operator_runs_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS operator_runs_of_records TO operator_runs AS
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  id,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  JSONExtractString(json, 'operatorId') AS operator_id,
  deleted,
  command_offset
FROM operator_runs_in
WHERE kind = 'operatorRun';

-- Part adjustments by time and machine; moved like annotations. reject_behavior: as sent, '' for none; the type may
-- override it.
CREATE TABLE IF NOT EXISTS part_adjustments (
  company         LowCardinality(String),
  machine_id      LowCardinality(String),
  start_ms        Int64,
  id              String,
  category        Nullable(Int64),
  parts           Int32,
  scrap           Int32,
  reject_behavior LowCardinality(String),
  message         String CODEC(ZSTD(1)),
  deleted         UInt8,
  command_offset  UInt64
) ENGINE = ReplacingMergeTree(command_offset)
PARTITION BY least(toYear(fromUnixTimestamp64Milli(start_ms, 'UTC')), 2100)
ORDER BY (company, intDiv(start_ms, 2592000000), machine_id, start_ms, id)
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS part_adjustments_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS part_adjustments_of_records TO part_adjustments AS
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'adjustmentTime'), 3, 'UTC')), 0) AS start_ms,
  id,
  JSONExtract(json, 'categoryId', 'Nullable(Int64)') AS category,
  toInt32(JSONExtractInt(json, 'count')) AS parts,
  toInt32(JSONExtractInt(json, 'scrapCount')) AS scrap,
  JSONExtractString(json, 'rejectBehavior') AS reject_behavior,
  JSONExtractString(json, 'message') AS message,
  deleted,
  command_offset
FROM part_adjustments_in
WHERE kind = 'partAdjustment';

-- Job runs as reported, by time and machine. Machine, start and start sequence never change. A run ends at the latest
-- at the start of the next run of its machine. production_ms: start of production as reported.
CREATE TABLE IF NOT EXISTS machine_runs (
  company        LowCardinality(String),
  machine_id     LowCardinality(String),
  start_ms       Int64,
  start_sequence UInt32,
  id             String,
  run            UInt32,
  end_ms         Nullable(Int64),
  production_ms  Nullable(Int64),
  in_setup       UInt8,
  operation_id   String,
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
PARTITION BY least(toYear(fromUnixTimestamp64Milli(start_ms, 'UTC')), 2100)
ORDER BY (company, intDiv(start_ms, 2592000000), machine_id, start_ms, start_sequence, id)
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS machine_runs_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS machine_runs_of_records TO machine_runs AS
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  toUInt32(JSONExtractUInt(json, 'startSequence')) AS start_sequence,
  id,
  ref AS run,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'productionAt'), 3, 'UTC')) AS production_ms,
  toUInt8(JSONExtractBool(json, 'startInSetup')) AS in_setup,
  JSONExtractString(json, 'jobOperationId') AS operation_id,
  deleted,
  command_offset
FROM machine_runs_in
WHERE kind = 'jobRun';

-- Job operations by the order of their creation. ref: never assigned to two operations. group_ids: machine groups of
-- the work centers. json: for a deleted operation, its last state.
CREATE TABLE IF NOT EXISTS job_operations (
  company        LowCardinality(String),
  ref            UInt32,
  id             String,
  job_name       String,
  lot_name       String,
  operation_name String,
  part_name      String,
  archived       UInt8,
  has_multiplier UInt8,
  has_thresholds UInt8,
  group_ids      Array(String),
  json           String CODEC(ZSTD(3)),
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
ORDER BY (company, ref)
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Refs of job operations by their four names. Rows are not deleted; `job_operations` has the current names.
CREATE TABLE IF NOT EXISTS job_operation_names (
  company        LowCardinality(String),
  job_name       String,
  lot_name       String,
  operation_name String,
  part_name      String,
  ref            UInt32
) ENGINE = ReplacingMergeTree
ORDER BY (company, job_name, lot_name, operation_name, part_name, ref)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS job_operations_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS job_operations_of_records TO job_operations AS
SELECT
  company,
  ref,
  id,
  JSONExtractString(json, 'jobName') AS job_name,
  JSONExtractString(json, 'lotName') AS lot_name,
  JSONExtractString(json, 'operationName') AS operation_name,
  JSONExtractString(json, 'partName') AS part_name,
  JSONExtractString(json, 'archivedAt') != '' AS archived,
  arrayExists(
    factor -> ifNull(factor, 1) != 1,
    arrayPushBack(
      JSONExtract(json, 'workCenters', 'Array(Tuple(partCountMultiplier Nullable(Float64)))').partCountMultiplier,
      JSONExtract(json, 'partCountMultiplier', 'Nullable(Float64)')
    )
  ) AS has_multiplier,
  JSONLength(json, 'thresholds') > 0 AS has_thresholds,
  arrayFilter(
    id -> id != '',
    JSONExtract(json, 'workCenters', 'Array(Tuple(machineGroupId String))').machineGroupId
  ) AS group_ids,
  json,
  deleted,
  command_offset
FROM job_operations_in
WHERE kind = 'jobOperation';

CREATE MATERIALIZED VIEW IF NOT EXISTS job_operation_names_of_records TO job_operation_names AS
SELECT
  company,
  JSONExtractString(json, 'jobName') AS job_name,
  JSONExtractString(json, 'lotName') AS lot_name,
  JSONExtractString(json, 'operationName') AS operation_name,
  JSONExtractString(json, 'partName') AS part_name,
  ref
FROM job_operations_in
WHERE kind = 'jobOperation';

-- Names and standards of job runs, which reports look up by (company, run). The standards apply to the machine of the
-- run: the values of its work center entry, otherwise of its groups, otherwise of the operation. Null: no value.
-- operation: ref, 0 if deleted; end_ms: end as reported; until_ms: effective end, of a run that does not count end_ms;
-- both are 9007199254740991 if there is none.
CREATE TABLE IF NOT EXISTS job_runs (
  company             UInt32,
  run                 UInt32,
  machine             UInt32,
  operation           UInt32,
  id                  String,
  start_ms            Int64,
  end_ms              Int64,
  until_ms            Int64,
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
  deleted             UInt8,
  INDEX bounds (start_ms, end_ms, until_ms) TYPE minmax GRANULARITY 1,
  INDEX operations operation TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (company, run)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

-- Time of the last use of each key, with the precision of about a minute. Not in the log.
CREATE TABLE IF NOT EXISTS key_uses (
  id      String,
  used_at DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(used_at)
ORDER BY id;

-- The audit trail: one row per audited change. Secrets are redacted. change: position within the command, so that a
-- repeated insert replaces itself; before, after: JSON, '' for none.
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

-- Incidents by the clock of their opening, which never changes: lists, reports and starts find their ids here, and read
-- them from `records`. `settled_ms` NULL: the incident is unresolved, or its condition still holds.
CREATE TABLE IF NOT EXISTS incidents (
  company        LowCardinality(String),
  detected_ms    Int64,
  id             String,
  started_ms     Int64,
  ended_ms       Nullable(Int64),
  settled_ms     Nullable(Int64),
  state          LowCardinality(String),
  kind           LowCardinality(String),
  severity       LowCardinality(String),
  rule_id        String,
  subject_id     String,
  deleted        UInt8,
  command_offset UInt64,
  INDEX starts started_ms TYPE minmax GRANULARITY 1,
  INDEX ends ended_ms TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(command_offset)
PARTITION BY least(toYear(fromUnixTimestamp64Milli(detected_ms, 'UTC')), 2100)
ORDER BY (company, intDiv(detected_ms, 2592000000), detected_ms, id)
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS incidents_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS incidents_of_records TO incidents AS
SELECT
  company,
  toUnixTimestamp64Milli(parseDateTime64BestEffort(JSONExtractString(json, 'detectedAt'), 3, 'UTC')) AS detected_ms,
  id,
  toUnixTimestamp64Milli(parseDateTime64BestEffort(JSONExtractString(json, 'startedAt'), 3, 'UTC')) AS started_ms,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endedAt'), 3, 'UTC')) AS ended_ms,
  multiIf(
    JSONExtractString(json, 'state') IN ('open', 'acknowledged'), NULL,
    ended_ms IS NOT NULL, greatest(ended_ms, detected_ms),
    JSONExtractString(json, 'state') = 'retracted', detected_ms,
    NULL) AS settled_ms,
  JSONExtractString(json, 'state') AS state,
  JSONExtractString(json, 'kind') AS kind,
  JSONExtractString(json, 'severity') AS severity,
  JSONExtractString(json, 'ruleId') AS rule_id,
  JSONExtractString(json, 'subject', 'id') AS subject_id,
  deleted,
  command_offset
FROM incidents_in;

-- Deliveries by the clock of their creation, which never changes. They are in no other table, because they are kept for
-- 90 days only.
CREATE TABLE IF NOT EXISTS deliveries (
  company        LowCardinality(String),
  created_ms     Int64,
  id             String,
  target_id      String,
  incident_ids   Array(String) CODEC(ZSTD(3)),
  state          LowCardinality(String),
  json           String CODEC(ZSTD(3)),
  command_offset UInt64,
  INDEX targets target_id TYPE bloom_filter GRANULARITY 1,
  INDEX incidents incident_ids TYPE bloom_filter GRANULARITY 1
) ENGINE = ReplacingMergeTree(command_offset)
PARTITION BY least(toYYYYMM(fromUnixTimestamp64Milli(created_ms, 'UTC')), 210012)
ORDER BY (company, created_ms, id)
TTL toDateTime(intDiv(created_ms, 1000), 'UTC') + INTERVAL 90 DAY
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS deliveries_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS deliveries_of_records TO deliveries AS
SELECT
  company,
  toUnixTimestamp64Milli(parseDateTime64BestEffort(JSONExtractString(json, 'createdAt'), 3, 'UTC')) AS created_ms,
  id,
  JSONExtractString(json, 'targetId') AS target_id,
  JSONExtract(json, 'incidentIds', 'Array(String)') AS incident_ids,
  JSONExtractString(json, 'state') AS state,
  json,
  command_offset
FROM deliveries_in;
