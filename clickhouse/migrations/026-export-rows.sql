-- Rows of reports on their way into a Parquet file, which only the engine writes: they come in as texts and go out typed, in
-- the order of `row`. Each export is a partition, dropped when its file is written; rows that a crash leaves go by themselves.
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
