-- Names of the groups of an export's rows: by level of grouping and place in the file's order, with the keys of rows that
-- belong to it.
CREATE TABLE IF NOT EXISTS export_names (
  company UInt32,
  export  UInt64,
  level   UInt8,
  place   UInt32,
  keys    Array(String),
  cells   Array(String),
  made_at DateTime('UTC') DEFAULT now('UTC')
) ENGINE = MergeTree
PARTITION BY export
ORDER BY (company, export, level, place)
TTL made_at + INTERVAL 1 DAY;
