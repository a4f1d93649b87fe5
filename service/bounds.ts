import type { JsonBounds } from '../shared/json/bounds.ts'
import type { Config } from './config.ts'

/** Limits of JSON input, from the settings. */
interface InputBounds {
  /** Limits of JSON bodies, except bodies of samples. */
  readonly json: JsonBounds
  /** Limits of bodies of samples. */
  readonly ingest: JsonBounds
  /** Limits of JSON records of samples.v1. */
  readonly record: JsonBounds
}

/** Number of JSON values in a sample that has every field. */
const valuesOfSample = 16

/** Derives the limits of JSON input from the settings. */
export function inputLimitsOf(config: Config): InputBounds {
  const json: JsonBounds = {
    bytes: config.TAKT_JSON_LIMIT,
    depth: config.TAKT_JSON_MAX_DEPTH,
    elements: config.TAKT_JSON_MAX_ELEMENTS,
    keys: config.TAKT_JSON_MAX_KEYS,
    values: config.TAKT_JSON_MAX_VALUES,
    textBytes: config.TAKT_JSON_MAX_TEXT,
    keyBytes: config.TAKT_JSON_MAX_KEY,
  }
  const samples = (bytes: number, maxElements: number): JsonBounds => ({
    ...json,
    bytes,
    elements: maxElements,
    values: maxElements * valuesOfSample,
  })
  return {
    json,
    ingest: samples(config.TAKT_BODY_LIMIT, config.TAKT_BODY_MAX_SAMPLES),
    record: samples(config.TAKT_RECORD_LIMIT, config.TAKT_RECORD_MAX_SAMPLES),
  }
}
