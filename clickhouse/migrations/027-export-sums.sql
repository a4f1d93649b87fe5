-- A production report's rows on their way into a file: kept once, so that the file and the answer beside it are made of the
-- same numbers. Each export is a partition, dropped when its file is written; rows that a crash leaves go by themselves.
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
