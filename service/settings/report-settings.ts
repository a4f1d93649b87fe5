import { setting, type Settings } from './setting.ts'

/** Settings of reports and their files. */
export const reportSettings = {
  TAKT_CSV_LIFETIME_HOURS: setting('Lifetime of report files.').int(24, 1, 8760),
  TAKT_EXPORTS_MAX_BYTES: setting(
    'Maximum disk space of report files in bytes, including their folders; each company has a fair share. Further files are rejected with 503.',
  ).int(20_000_000_000, 0, 1e15),
  TAKT_EXPORTS_MAX_FILES: setting(
    'Maximum number of report files of a company. Further files are rejected with 503.',
  ).int(20_000, 1, 1e9),
  TAKT_REPORT_CONCURRENCY: setting(
    'Limit of concurrent reports of one company; further ones are rejected with 429. Under overload, reports that would wait too long are rejected with 429, too.',
  ).int(32, 1, 10_000),
  TAKT_QUERY_MAX_SECONDS: setting('Time limit of one query of a report in the store.').int(30, 1, 3600),
  TAKT_QUERY_MAX_MEMORY: setting('Memory limit of one query of a report in the store, in bytes.').int(
    4_000_000_000,
    1_000_000,
    1e15,
  ),
  TAKT_QUERY_MAX_ROWS_READ: setting('Maximum number of rows that one query of a report reads.').int(
    2_000_000_000,
    1,
    1e15,
  ),
  TAKT_QUERY_MAX_ROWS: setting('Maximum number of rows that one query of a report returns.').int(5_000_000, 1, 1e12),
} satisfies Settings
