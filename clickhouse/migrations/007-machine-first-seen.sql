-- When each machine was first seen: asking all minutes of all years would read them all. It is a minimum of values that never
-- change, so it may be aggregated as they come in.
CREATE TABLE IF NOT EXISTS machine_first_seen (
  company  UInt32,
  machine  UInt32,
  first_ms SimpleAggregateFunction(min, Int64)
) ENGINE = AggregatingMergeTree
ORDER BY (company, machine)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480;

CREATE MATERIALIZED VIEW IF NOT EXISTS machine_first_seen_minutes TO machine_first_seen AS
SELECT company, machine, min(toUnixTimestamp(minute) * 1000 + first_ms) AS first_ms
FROM seen_minutes GROUP BY company, machine;

CREATE MATERIALIZED VIEW IF NOT EXISTS machine_first_seen_samples TO machine_first_seen AS
SELECT company, machine, min(intDiv(at_us, 1000)) AS first_ms
FROM deciding_samples GROUP BY company, machine;
