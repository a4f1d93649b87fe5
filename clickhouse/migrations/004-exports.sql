-- Rows of report files while they are written. Each export is a partition, which is dropped when its file is
-- complete; rows of a crashed export expire after a day.

-- Rows of Parquet files, which the engine writes: inserted as texts, read in the order of `row` with types.
CREATE TABLE IF NOT EXISTS export_rows (
  company UInt32,
  export  UInt32,
  row     UInt32 CODEC(Delta, ZSTD(1)),
  cells   Array(Nullable(String)) CODEC(ZSTD(1)),
  made_at DateTime('UTC') DEFAULT now('UTC')
) ENGINE = MergeTree
PARTITION BY export
ORDER BY (company, export, row)
TTL made_at + INTERVAL 1 DAY;

-- Rows of a production report, from which both the file and the response are made.
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

-- Names of the groups of an export: by level of grouping and position in the file, with the keys of the rows of the
-- group.
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
