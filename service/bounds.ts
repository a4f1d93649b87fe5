import type { JsonBounds } from '../shared/json/bounds.ts'
import type { Config } from './config.ts'

/** Bounds of what comes from outside as JSON, by the settings. */
interface InputBounds {
  /** Bounds of a body of JSON, but samples. */
  readonly json: JsonBounds
  /** Bounds of a body of samples. */
  readonly ingest: JsonBounds
  /** Bounds of a record of samples.v1. */
  readonly record: JsonBounds
}

/** A sample has at most this many values where it has every field. */
const valuesOfSample = 16

export function inputBoundsOf(config: Config): InputBounds {
  const json: JsonBounds = {
    bytes: config.TAKT_JSON_LIMIT,
    depth: config.TAKT_JSON_MAX_DEPTH,
    elements: config.TAKT_JSON_MAX_ELEMENTS,
    keys: config.TAKT_JSON_MAX_KEYS,
    values: config.TAKT_JSON_MAX_VALUES,
    textBytes: config.TAKT_JSON_MAX_TEXT,
    keyBytes: config.TAKT_JSON_MAX_KEY,
  }
  const samples = (bytes: number, most: number): JsonBounds => ({
    ...json,
    bytes,
    elements: most,
    values: most * valuesOfSample,
  })
  return {
    json,
    ingest: samples(config.TAKT_BODY_LIMIT, config.TAKT_BODY_MAX_SAMPLES),
    record: samples(config.TAKT_RECORD_LIMIT, config.TAKT_RECORD_MAX_SAMPLES),
  }
}
