-- A production report's rows on their way into a file: kept once, so that the file and the answer beside it are made of the same
-- numbers. Each export is a partition, dropped when its file is written; what a crash leaves goes by itself.
CREATE TABLE IF NOT EXISTS export_sums (
  company   UInt32,
  export    UInt64,
  keys      Array(UInt32) CODEC(LZ4),
  operators Array(UInt32) CODEC(LZ4),
  sums      Array(Float64) CODEC(LZ4),
  made_at   DateTime('UTC') DEFAULT now('UTC')
) ENGINE = MergeTree
PARTITION BY export
ORDER BY (company, export)
TTL made_at + INTERVAL 1 DAY;

-- What its groups are called: by level of grouping and place in the file's order, with the keys of rows that belong to it.
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
