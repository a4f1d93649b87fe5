-- Records of downtime in day documents, for reports that must know in which shifts and job runs a record lies or how long it is:
-- those read all hours of the range before. Most records lie within one day, one shift and one run: of these their number and their
-- lengths are enough. The others are told one by one; a machine has no more of them than changes of day, shift and run.
--   r_within: how many records that begin in the tuple lie wholly within the day (a record that ends with it might go on) and its
--     shift and run; r_lengths: theirs in ms, ascending, 3600000 for all that are as long or longer: no microstop is
--   x_ the other records, once for each shift and run that they lie in on the day: when the whole record began, UTC ms, and when the
--     last of it ends that lies in the day, ms from start_ms
-- Rows from before have none of this, which shows where r_ms has elements and r_within has not.
-- format: what the documents that a row of day_coverage speaks for have; 0: made before this.
ALTER TABLE days
  ADD COLUMN IF NOT EXISTS r_within Array(UInt32) CODEC(LZ4) AFTER r_carried,
  ADD COLUMN IF NOT EXISTS r_lengths Array(Array(UInt32)) CODEC(T64, LZ4) AFTER r_within,
  ADD COLUMN IF NOT EXISTS x_record Array(Int64) CODEC(LZ4),
  ADD COLUMN IF NOT EXISTS x_shift Array(UInt32) CODEC(LZ4),
  ADD COLUMN IF NOT EXISTS x_run Array(UInt32) CODEC(LZ4),
  ADD COLUMN IF NOT EXISTS x_reason Array(Int32) CODEC(LZ4),
  ADD COLUMN IF NOT EXISTS x_end Array(UInt32) CODEC(LZ4);

ALTER TABLE day_coverage ADD COLUMN IF NOT EXISTS format UInt8 DEFAULT 0;
