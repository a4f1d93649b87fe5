-- The category of each metric beside its latest value: lists of a machine's metrics show it. Values that were stored before have
-- none until the next sample comes.
ALTER TABLE latest_values ADD COLUMN IF NOT EXISTS category LowCardinality(String);

ALTER TABLE latest_values_view MODIFY QUERY
SELECT company, machine, key, type, subtype, at_us, value, category FROM samples;
