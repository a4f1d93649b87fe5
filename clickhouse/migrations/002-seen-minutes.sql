-- First and last sample of any key per machine and UTC minute, as ms within the minute: gaps of 60 s and more are exact, so
-- staleness can be recomputed after the samples themselves are gone. Repeats and late rows merge by min and max.
CREATE TABLE IF NOT EXISTS seen_minutes (
  company  UInt32,
  machine  UInt32,
  minute   DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  first_ms SimpleAggregateFunction(min, UInt16) CODEC(ZSTD(1)),
  last_ms  SimpleAggregateFunction(max, UInt16) CODEC(ZSTD(1))
) ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (company, toDate(minute), machine, minute)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;

-- When each machine was first seen, kept beside as minutes arrive: asking all minutes of all years would read them all. A minimum
-- of what never changes, so it may be aggregated on the way in.
CREATE TABLE IF NOT EXISTS machine_first_seen (
  company  UInt32,
  machine  UInt32,
  first_ms SimpleAggregateFunction(min, Int64)
) ENGINE = AggregatingMergeTree
ORDER BY (company, machine);

CREATE MATERIALIZED VIEW IF NOT EXISTS machine_first_seen_minutes TO machine_first_seen AS
SELECT company, machine, min(toUnixTimestamp(minute) * 1000 + first_ms) AS first_ms
FROM seen_minutes GROUP BY company, machine;

CREATE MATERIALIZED VIEW IF NOT EXISTS machine_first_seen_samples TO machine_first_seen AS
SELECT company, machine, min(intDiv(at_us, 1000)) AS first_ms
FROM deciding_samples GROUP BY company, machine;
