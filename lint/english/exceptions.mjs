/**
 * Files with sentences in which a rejected form stays, with the reason.
 *
 * A migration is identified by the checksum of its file, comments included, so a released one never changes.
 */
export const exceptions = [
  { file: 'clickhouse/migrations/008-hours.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/009-cycle-states.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/010-downtime-states.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/011-alarm-states.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/012-part-states.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/013-adjustment-states.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/014-days.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/016-stale-days.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/018-records.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/021-audit.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/022-job-runs.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/029-user-emails.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/034-even-hours.sql', reason: 'released migration' },
  { file: 'clickhouse/migrations/035-repeated-hours.sql', reason: 'released migration' },
]
