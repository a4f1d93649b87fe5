-- An insert is acknowledged once it is on disk, not only in the memory of the machine: what is committed in the log after that must
-- survive a power cut. Merges needn't wait: the parts that they replace stay for some minutes.
ALTER TABLE samples MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE deciding_samples MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE seen_minutes MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE machine_first_seen MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE hours MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE cycle_states MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE downtime_states MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE alarm_states MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE part_states MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE days MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE day_coverage MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE stale_days MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE records MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE job_runs MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE native_codes MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE process_progress MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE sample_numbers MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE superseded_samples MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE alarm_ids MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE alarm_ids_by_id MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
ALTER TABLE alarm_progress MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
