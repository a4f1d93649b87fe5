-- The plant's records as the log has them, written before anybody reads what was answered; a projection, to be rebuilt from the log
-- at any time. The version of a row is the offset of the command that made it, so that projecting an entry again replaces it by
-- itself.
-- Copies of some kinds, in another order, are made by views of tables that keep nothing, which get these rows first: a view of
-- this table would cost every insert, of whatever kind.
-- company: the company's id, '' for a record of none; ref: 0 for kinds without one; json: of a deleted record, what it was
-- last.
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
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
