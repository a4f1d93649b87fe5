/**
 * Limits of untrusted JSON. Strings and keys are measured as they are written: in bytes of UTF-8, including escapes,
 * without the quotes. A top-level object or array has depth 1.
 */
export interface JsonBounds {
  /** Maximum bytes in total. */
  readonly bytes: number
  /** Maximum nesting of arrays and objects. */
  readonly depth: number
  /** Maximum number of elements in one array. */
  readonly elements: number
  /** Maximum number of keys in one object. */
  readonly keys: number
  /**
   * Maximum number of values in total: strings, numbers, literals, arrays and objects; an empty array or object counts
   * as two.
   */
  readonly values: number
  /** Maximum bytes of one string. */
  readonly textBytes: number
  /** Maximum bytes of one key. */
  readonly keyBytes: number
}

/** Default limits. */
export const defaultJsonBounds: JsonBounds = {
  bytes: 4_194_304,
  depth: 32,
  elements: 100_000,
  keys: 1_000,
  values: 250_000,
  textBytes: 131_072,
  keyBytes: 1_024,
}

/** Thrown if JSON exceeds a limit. The message contains the limit, but no content of the JSON. */
export class JsonOutOfBounds extends Error {
  override readonly name = 'JsonOutOfBounds'
  readonly bound: keyof JsonBounds
  readonly limit: number

  constructor(bound: keyof JsonBounds, limit: number) {
    super(messages[bound](limit))
    this.bound = bound
    this.limit = limit
  }
}

const messages = {
  bytes: limit => `JSON must have at most ${limit} bytes`,
  depth: limit => `JSON must be nested at most ${limit} levels deep`,
  elements: limit => `an array must have at most ${limit} elements`,
  keys: limit => `an object must have at most ${limit} keys`,
  values: limit => `JSON must hold at most ${limit} values`,
  textBytes: limit => `a text must have at most ${limit} bytes`,
  keyBytes: limit => `a key must have at most ${limit} bytes`,
} as const satisfies Readonly<Record<keyof JsonBounds, (limit: number) => string>>
