import { readOptional, readInt, type Settings } from './setting.ts'

/** Limits of requests: size of bodies, JSON and headers, and requests per key. */
export const requestSettings = {
  TAKT_BODY_LIMIT: {
    default: '33554432',
    meaning: 'Maximum size of a body of samples in bytes, after decompression.',
    parse: readInt(1024, 1_073_741_824),
  },
  TAKT_BODY_MAX_SAMPLES: {
    default: '500000',
    meaning: 'Maximum number of samples in one body.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_RECORD_LIMIT: {
    default: '10485760',
    meaning: 'Maximum size of a record of `samples.v1` in bytes; a larger one becomes a dead letter.',
    parse: readInt(1024, 1_073_741_824),
  },
  TAKT_RECORD_MAX_SAMPLES: {
    default: '150000',
    meaning: 'Maximum number of samples in one record of `samples.v1`; a record with more becomes a dead letter.',
    parse: readInt(1, 10_000_000),
  },
  TAKT_JSON_LIMIT: {
    default: '4194304',
    meaning: 'Maximum size of a body of other routes in bytes, after decompression.',
    parse: readInt(1024, 67_108_864),
  },
  TAKT_BODIES_LIMIT: {
    default: '134217728',
    meaning:
      'Limit of the bytes of all bodies in progress in a process, after decompression; each company has a fair share; beyond it, 429 or 503.',
    parse: readInt(1_048_576, 17_179_869_184),
  },
  TAKT_PUBLIC_BODY_LIMIT: {
    default: '16384',
    meaning: 'Maximum size of a body in bytes without a key, such as a sign-in.',
    parse: readInt(1024, 1_048_576),
  },
  TAKT_JSON_MAX_DEPTH: {
    default: '32',
    meaning: 'Maximum nesting of JSON arrays and objects.',
    parse: readInt(8, 500),
  },
  TAKT_JSON_MAX_ELEMENTS: {
    default: '100000',
    meaning: 'Maximum number of elements of a JSON array that does not contain samples.',
    parse: readInt(100, 10_000_000),
  },
  TAKT_JSON_MAX_KEYS: {
    default: '1000',
    meaning: 'Maximum number of keys of a JSON object.',
    parse: readInt(100, 1_000_000),
  },
  TAKT_JSON_MAX_VALUES: {
    default: '250000',
    meaning: 'Maximum number of values in a JSON body that does not contain samples.',
    parse: readInt(1000, 100_000_000),
  },
  TAKT_JSON_MAX_TEXT: {
    default: '131072',
    meaning: 'Maximum length of a JSON string in bytes, as sent.',
    parse: readInt(1024, 67_108_864),
  },
  TAKT_JSON_MAX_KEY: {
    default: '1024',
    meaning: 'Maximum length of a JSON key in bytes, as sent.',
    parse: readInt(100, 1_048_576),
  },
  TAKT_HEADER_LIMIT: {
    default: '16384',
    meaning: "Maximum size of a request's first line and headers in bytes; beyond it, 431.",
    parse: readInt(2048, 1_048_576),
  },
  TAKT_MAX_HEADERS: {
    default: '100',
    meaning: 'Maximum number of headers of a request; beyond it, 431.',
    parse: readInt(20, 10_000),
  },
  TAKT_QUERY_MAX_PARAMETERS: {
    default: '100',
    meaning: 'Maximum number of parameters of a query; beyond it, 400.',
    parse: readInt(10, 10_000),
  },
  TAKT_IMPORT_LIMIT: {
    default: '67108864',
    meaning: 'Maximum size of a job import file, in bytes.',
    parse: readInt(1024, 1_073_741_824),
  },
  TAKT_IMPORT_MAPPINGS: {
    default: '',
    meaning:
      'Folder with `vendorVisual.json` and `vendorLN.json` for other than the default columns; see job-import.md.',
    parse: readOptional,
  },
  TAKT_RATE_LIMIT: {
    default: '6000',
    meaning: 'Requests per minute and key; 0: no limit.',
    parse: readInt(0, 1_000_000_000),
  },
  TAKT_CHANGE_TIMEOUT_MS: {
    default: '15000',
    meaning:
      'Time limit for the confirmation of a change of records; beyond it, 503, and the change may still be made later.',
    parse: readInt(100, 600_000),
  },
} as const satisfies Settings
