-- When each key was last used, to about a minute; no part of the log.
CREATE TABLE IF NOT EXISTS key_uses (
  id      String,
  used_at DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(used_at)
ORDER BY id;
