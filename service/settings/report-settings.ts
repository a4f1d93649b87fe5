import { readInt, type Settings } from './setting.ts'

/** Settings of reports and their files. */
export const reportSettings = {
  TAKT_CSV_LIFETIME_HOURS: {
    default: '24',
    meaning: 'How long the files of reports can be fetched.',
    parse: readInt(1, 8760),
  },
  TAKT_EXPORTS_MAX_BYTES: {
    default: '20000000000',
    meaning:
      'Maximum disk space of the files of reports in bytes, with their folders; each company has a share. Further files are rejected with 503.',
    parse: readInt(0, 1e15),
  },
  TAKT_EXPORTS_MAX_FILES: {
    default: '20000',
    meaning: 'Maximum number of files of reports of a company. Further files are rejected with 503.',
    parse: readInt(1, 1e9),
  },
  TAKT_REPORT_CONCURRENCY: {
    default: '32',
    meaning:
      'Reports of one company under way at once; more are answered 429. While reports come faster than they are answered, fewer are taken: those that would wait for long are answered 429, too.',
    parse: readInt(1, 10_000),
  },
  TAKT_QUERY_MAX_SECONDS: {
    default: '30',
    meaning: 'How long the store may work on one query of a report.',
    parse: readInt(1, 3600),
  },
  TAKT_QUERY_MAX_MEMORY: {
    default: '4000000000',
    meaning: 'Memory in bytes that the store may take for one query of a report.',
    parse: readInt(1_000_000, 1e15),
  },
  TAKT_QUERY_MAX_ROWS_READ: {
    default: '2000000000',
    meaning: 'Rows that one query of a report may read.',
    parse: readInt(1, 1e15),
  },
  TAKT_QUERY_MAX_ROWS: {
    default: '5000000',
    meaning: 'Rows that one query of a report may answer.',
    parse: readInt(1, 1e12),
  },
} as const satisfies Settings
