import { setting, type Settings } from './setting.ts'

/** Limits of requests: size of bodies, JSON and headers, and requests per key. */
export const requestSettings = {
  TAKT_BODY_LIMIT: setting('Maximum size of a body of samples in bytes, after decompression.').int(
    33_554_432,
    1024,
    1_073_741_824,
  ),
  TAKT_BODY_MAX_SAMPLES: setting('Maximum number of samples in one body.').int(500_000, 1, 10_000_000),
  TAKT_RECORD_LIMIT: setting(
    'Maximum size of a record of `samples.v1` in bytes; a larger one becomes a dead letter.',
  ).int(10_485_760, 1024, 1_073_741_824),
  TAKT_RECORD_MAX_SAMPLES: setting(
    'Maximum number of samples in one record of `samples.v1`; a record with more becomes a dead letter.',
  ).int(150_000, 1, 10_000_000),
  TAKT_JSON_LIMIT: setting('Maximum size of a body of other routes in bytes, after decompression.').int(
    4_194_304,
    1024,
    67_108_864,
  ),
  TAKT_BODIES_LIMIT: setting(
    'Limit of the bytes of all bodies in progress in a process, after decompression; each company has a fair share; beyond it, 429 or 503.',
  ).int(134_217_728, 1_048_576, 17_179_869_184),
  TAKT_PUBLIC_BODY_LIMIT: setting('Maximum size of a body in bytes without a key, such as a sign-in.').int(
    16_384,
    1024,
    1_048_576,
  ),
  TAKT_JSON_MAX_DEPTH: setting('Maximum nesting of JSON arrays and objects.').int(32, 8, 500),
  TAKT_JSON_MAX_ELEMENTS: setting('Maximum number of elements of a JSON array that does not contain samples.').int(
    100_000,
    100,
    10_000_000,
  ),
  TAKT_JSON_MAX_KEYS: setting('Maximum number of keys of a JSON object.').int(1000, 100, 1_000_000),
  TAKT_JSON_MAX_VALUES: setting('Maximum number of values in a JSON body that does not contain samples.').int(
    250_000,
    1000,
    100_000_000,
  ),
  TAKT_JSON_MAX_TEXT: setting('Maximum length of a JSON string in bytes, as sent.').int(131_072, 1024, 67_108_864),
  TAKT_JSON_MAX_KEY: setting('Maximum length of a JSON key in bytes, as sent.').int(1024, 100, 1_048_576),
  TAKT_HEADER_LIMIT: setting("Maximum size of a request's first line and headers in bytes; beyond it, 431.").int(
    16_384,
    2048,
    1_048_576,
  ),
  TAKT_MAX_HEADERS: setting('Maximum number of headers of a request; beyond it, 431.').int(100, 20, 10_000),
  TAKT_QUERY_MAX_PARAMETERS: setting('Maximum number of parameters of a query; beyond it, 400.').int(100, 10, 10_000),
  TAKT_IMPORT_LIMIT: setting('Maximum size of a job import file, in bytes.').int(67_108_864, 1024, 1_073_741_824),
  TAKT_IMPORT_MAPPINGS: setting(
    'Folder with `vendorVisual.json` and `vendorLN.json` for other than the default columns; see job-import.md.',
  ).optional(),
  TAKT_RATE_LIMIT: setting('Requests per minute and key; 0: no limit.').int(6000, 0, 1_000_000_000),
  TAKT_CHANGE_TIMEOUT_MS: setting(
    'Time limit for the confirmation of a change of records; beyond it, 503, and the change may still be made later.',
  ).int(15_000, 100, 600_000),
} satisfies Settings
