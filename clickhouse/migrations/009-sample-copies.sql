-- Where a sender numbers its samples, the number is a sample's identity: of copies that differ in time, the first stands. Found
-- by number when a sample comes in, which may be years after its copy.
CREATE TABLE IF NOT EXISTS sample_numbers (
  company     UInt32,
  machine     UInt32,
  instance_id Int64 CODEC(ZSTD(1)),
  sequence    Int64 CODEC(Delta, ZSTD(1)),
  at_us       Int64 CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree
ORDER BY (company, machine, instance_id, sequence, at_us);

CREATE MATERIALIZED VIEW IF NOT EXISTS sample_numbers_view TO sample_numbers AS
SELECT company, machine, assumeNotNull(instance_id) AS instance_id, assumeNotNull(sequence) AS sequence, at_us
FROM deciding_samples WHERE instance_id IS NOT NULL AND sequence IS NOT NULL;

-- Copies that another one stands for: whoever reads deciding samples leaves them out. Nearly always empty.
CREATE TABLE IF NOT EXISTS superseded_samples (
  company     UInt32,
  machine     UInt32,
  instance_id Int64,
  sequence    Int64,
  at_us       Int64
) ENGINE = ReplacingMergeTree
ORDER BY (company, machine, instance_id, sequence, at_us);
