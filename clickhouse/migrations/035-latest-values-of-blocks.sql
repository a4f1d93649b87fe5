-- The writer of samples writes the newest value of each metric of its block itself: a view would write each of the samples, fifty times
-- the rows on a busy machine.
DROP VIEW IF EXISTS latest_values_view;
