/**
 * Bounds of JSON from outside. Texts and keys are measured as they are written: in bytes of UTF-8, escapes and all, without the
 * quotes. An object or array inside nothing has depth 1.
 */
export interface JsonBounds {
  /** Bytes of all. */
  readonly bytes: number
  /** Arrays and objects inside each other. */
  readonly depth: number
  /** Elements of one array. */
  readonly elements: number
  /** Keys of one object. */
  readonly keys: number
  /** Values of all: texts, numbers, words, arrays and objects; an empty array or object counts as two. */
  readonly values: number
  /** Bytes of one text. */
  readonly textBytes: number
  /** Bytes of one key. */
  readonly keyBytes: number
}

/** Bounds that fit where nothing else is said. */
export const defaultJsonBounds: JsonBounds = {
  bytes: 4_194_304,
  depth: 32,
  elements: 100_000,
  keys: 1_000,
  values: 250_000,
  textBytes: 131_072,
  keyBytes: 1_024,
}

/** JSON that exceeds a bound. The message names the bound and its limit, and holds nothing of the JSON. */
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
