import { readInt, type Settings } from './setting.ts'

/** Settings of reports and their files. */
export const reportSettings = {
  TAKT_CSV_LIFETIME_HOURS: {
    default: '24',
    meaning: 'Lifetime of report files.',
    parse: readInt(1, 8760),
  },
  TAKT_EXPORTS_MAX_BYTES: {
    default: '20000000000',
    meaning:
      'Maximum disk space of report files in bytes, including their folders; each company has a fair share. Further files are rejected with 503.',
    parse: readInt(0, 1e15),
  },
  TAKT_EXPORTS_MAX_FILES: {
    default: '20000',
    meaning: 'Maximum number of report files of a company. Further files are rejected with 503.',
    parse: readInt(1, 1e9),
  },
  TAKT_REPORT_CONCURRENCY: {
    default: '32',
    meaning:
      'Limit of concurrent reports of one company; further ones are rejected with 429. Under overload, reports that would wait too long are rejected with 429, too.',
    parse: readInt(1, 10_000),
  },
  TAKT_QUERY_MAX_SECONDS: {
    default: '30',
    meaning: 'Time limit of one query of a report in the store.',
    parse: readInt(1, 3600),
  },
  TAKT_QUERY_MAX_MEMORY: {
    default: '4000000000',
    meaning: 'Memory limit of one query of a report in the store, in bytes.',
    parse: readInt(1_000_000, 1e15),
  },
  TAKT_QUERY_MAX_ROWS_READ: {
    default: '2000000000',
    meaning: 'Maximum number of rows that one query of a report reads.',
    parse: readInt(1, 1e15),
  },
  TAKT_QUERY_MAX_ROWS: {
    default: '5000000',
    meaning: 'Maximum number of rows that one query of a report returns.',
    parse: readInt(1, 1e12),
  },
} as const satisfies Settings
