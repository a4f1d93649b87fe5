-- A merge is not written through to the disk, so the parts that it replaced stay for eight minutes: a power cut before the merged part is
-- on disk loses nothing. The embedded engine's default is to remove them at once.
ALTER TABLE samples MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE deciding_samples MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE seen_minutes MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE machine_first_seen MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE hours MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE cycle_states MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE downtime_states MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE alarm_states MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE part_states MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE days MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE day_coverage MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE stale_days MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE records MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE job_runs MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE native_codes MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE process_progress MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE sample_numbers MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE superseded_samples MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE alarm_ids MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE alarm_ids_by_id MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE alarm_progress MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE audit MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE credentials MODIFY SETTING old_parts_lifetime = 480;
ALTER TABLE latest_values MODIFY SETTING old_parts_lifetime = 480;
