-- How far the records are worked into the documents of each partition of facts: where a processor that takes it over goes on.
CREATE TABLE IF NOT EXISTS process_progress (
  partition      UInt32,
  records_offset Int64,
  ver            UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY partition;
