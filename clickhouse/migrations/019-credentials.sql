-- Keys, users and sessions by what they are looked up by with each request, so that a key revoked in one process opens nothing
-- in any other: keys by their id and by their hash, users and sessions by their id. One small read by primary key.
-- The latest command decides. Rows go in before those of records.
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
