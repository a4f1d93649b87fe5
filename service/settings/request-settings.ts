import { readOptional, readInt, type Settings } from './setting.ts'

/** Settings of requests: how large a body, JSON and headers may be, and how many requests a key has. */
export const requestSettings = {
  TAKT_BODY_LIMIT: {
    default: '33554432',
    meaning: 'Largest body of samples in bytes, after decompression.',
    parse: readInt(1024, 1_073_741_824),
  },
  TAKT_BODY_MAX_SAMPLES: {
    default: '500000',
    meaning: 'Samples that one body may hold.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_RECORD_LIMIT: {
    default: '10485760',
    meaning: 'Largest record of `samples.v1` in bytes; a larger one is a dead letter.',
    parse: readInt(1024, 1_073_741_824),
  },
  TAKT_RECORD_MAX_SAMPLES: {
    default: '150000',
    meaning: 'Samples that one record of `samples.v1` may hold; one with more is a dead letter.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_JSON_LIMIT: {
    default: '4194304',
    meaning: 'Largest body of other routes in bytes, after decompression.',
    parse: readInt(1024, 67_108_864),
  },
  TAKT_BODIES_LIMIT: {
    default: '134217728',
    meaning:
      'Bytes of all bodies under way in a process at a time, after decompression: each company has its share; beyond it 429 or 503.',
    parse: readInt(1_048_576, 17_179_869_184),
  },
  TAKT_PUBLIC_BODY_LIMIT: {
    default: '16384',
    meaning: 'Largest body in bytes that is taken without a key, as to sign in.',
    parse: readInt(1024, 1_048_576),
  },
  TAKT_JSON_MAX_DEPTH: {
    default: '32',
    meaning: 'How deep arrays and objects of JSON may be nested.',
    parse: readInt(8, 500),
  },
  TAKT_JSON_MAX_ELEMENTS: {
    default: '100000',
    meaning: 'Elements that an array of JSON may have, where it is no array of samples.',
    parse: readInt(100, 10_000_000),
  },
  TAKT_JSON_MAX_KEYS: {
    default: '1000',
    meaning: 'Keys that an object of JSON may have.',
    parse: readInt(100, 1_000_000),
  },
  TAKT_JSON_MAX_VALUES: {
    default: '250000',
    meaning: 'Values of all kinds that JSON may hold, where it holds no samples.',
    parse: readInt(1000, 100_000_000),
  },
  TAKT_JSON_MAX_TEXT: {
    default: '131072',
    meaning: 'Longest text of JSON in bytes, as it is written.',
    parse: readInt(1024, 67_108_864),
  },
  TAKT_JSON_MAX_KEY: {
    default: '1024',
    meaning: 'Longest key of JSON in bytes, as it is written.',
    parse: readInt(100, 1_048_576),
  },
  TAKT_HEADER_LIMIT: {
    default: '16384',
    meaning: "Bytes of a request's first line and headers; more are answered 431.",
    parse: readInt(2048, 1_048_576),
  },
  TAKT_MAX_HEADERS: {
    default: '100',
    meaning: 'Headers that a request may have; more are answered 431.',
    parse: readInt(20, 10_000),
  },
  TAKT_QUERY_MAX_PARAMETERS: {
    default: '100',
    meaning: 'Parameters that a query may have; more are answered 400.',
    parse: readInt(10, 10_000),
  },
  TAKT_IMPORT_LIMIT: {
    default: '67108864',
    meaning: 'Largest file of jobs to import, in bytes.',
    parse: readInt(1024, 1_073_741_824),
  },
  TAKT_IMPORT_MAPPINGS: {
    default: '',
    meaning:
      'Folder with `vendorVisual.json` and `vendorLN.json`, where their columns are others than usual; see job-import.md.',
    parse: readOptional,
  },
  TAKT_RATE_LIMIT: {
    default: '6000',
    meaning: 'Requests a minute and key; 0: no limit.',
    parse: readInt(0, 1_000_000_000),
  },
  TAKT_CHANGE_TIMEOUT_MS: {
    default: '15000',
    meaning: 'How long a change of records may wait to be confirmed; then it is answered 503, and may yet be made.',
    parse: readInt(100, 600_000),
  },
} as const satisfies Settings
