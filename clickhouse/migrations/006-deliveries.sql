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
