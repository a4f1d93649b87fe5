import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { LargeJson, openJson, type ChunkOptions } from '../../shared/json/large-json.ts'
import { parseJson } from '../../shared/json/parse-json.ts'
import { jsonProblem } from '../../shared/json/utf8.ts'
import { textOfRecord } from './dead-letters.ts'
import {
  type Accepted,
  type DecodeContext,
  type Decoded,
  isAccepted,
  isObject,
  type Rejection,
  type SentSample,
  validateSample,
} from './validate.ts'

/** Bounds of a record of samples.v1: ten times what a megabyte of the shortest samples has. */
export const recordBounds: JsonBounds = {
  ...defaultJsonBounds,
  bytes: 10_485_760,
  elements: 150_000,
  values: 2_000_000,
}

/** Decodes a record of any JSON. Throws only if the process lacks memory. */
export function decodeJson(value: Buffer, context: DecodeContext): Decoded {
  const decoded: DecodedSoFar = { accepted: [], rejected: [] }
  try {
    validateAll(flatten(parseJson(value, context.bounds ?? recordBounds)), context, decoded)
    return decoded
  } catch (error) {
    return unreadable(value, error)
  }
}

/** Decodes a record of JSON of any size as `decodeJson` does, and yields to the event loop between its parts. */
export async function decodeLargeRecord(value: Buffer, context: DecodeContext, chunks: ChunkOptions): Promise<Decoded> {
  const decoded: DecodedSoFar = { accepted: [], rejected: [] }
  try {
    for await (const samples of flattenLarge(await openJson(value, context.bounds ?? recordBounds, chunks))) {
      validateAll(samples, context, decoded)
      if (chunks.slice.isOver) await chunks.slice.next()
    }
    return decoded
  } catch (error) {
    return unreadable(value, error)
  }
}

interface DecodedSoFar {
  readonly accepted: Accepted[]
  readonly rejected: Rejection[]
}

function validateAll(
  samples: readonly SentSample[],
  context: DecodeContext,
  { accepted, rejected }: DecodedSoFar,
): void {
  for (const sent of samples) {
    const result = validateSample(sent, accepted.length + rejected.length, context)
    if (isAccepted(result)) accepted.push(result)
    else rejected.push({ ...result, value: standalone(sent) })
  }
}

/** Rejects a record as a whole that is not JSON, or is JSON beyond its bounds. */
function unreadable(value: Buffer, error: unknown): Decoded {
  // The next attempt may have the memory that this one lacks.
  if (error instanceof RangeError && /allocation failed/i.test(error.message)) throw error
  return { accepted: [], rejected: [{ index: 0, ...causeOf(error, value), value: textOfRecord(value) }] }
}

function causeOf(error: unknown, value: Buffer): Pick<Rejection, 'reason' | 'message'> {
  if (error instanceof JsonOutOfBounds)
    return { reason: 'invalid_json', message: `JSON out of bounds: ${error.message}` }
  if (error instanceof SyntaxError) return { reason: 'invalid_json', message: jsonProblem(value) }
  const cause = error instanceof Error ? error.message : String(error)
  return { reason: 'undecodable_record', message: `The record cannot be decoded: ${cause}` }
}

/** Returns the samples of a JSON value: a sample, a batch, or an array of both. Any other value counts as one (invalid) sample. */
export function flatten(json: unknown): SentSample[] {
  if (Array.isArray(json))
    return json.flatMap(element => (Array.isArray(element) ? [single(element)] : flatten(element)))
  if (!isObject(json) || !Array.isArray(json.samples)) return [single(json)]
  const machineId = json.machineId
  return json.samples.map((raw: unknown) => ({ raw, machineId }))
}

/**
 * Yields the samples of JSON that `openJson` has opened, in parts. An array or object larger than a chunk, which no valid sample has, is
 * replaced by an empty one. Throws a `SyntaxError`; then the samples before it must not be accepted either.
 */
export async function* flattenLarge(json: unknown): AsyncGenerator<readonly SentSample[]> {
  if (!(json instanceof LargeJson)) yield flatten(json)
  else if (json.isObject) yield* flattenObject(await json.members())
  else
    for await (const elements of json.elements()) {
      const [first] = elements
      if (first instanceof LargeJson && first.isObject) yield* flattenLarge(first)
      else yield flatten(first instanceof LargeJson ? [await emptied(first)] : elements)
    }
}

async function* flattenObject(members: Record<string, unknown>): AsyncGenerator<readonly SentSample[]> {
  const { samples } = members
  const isBatch = samples instanceof LargeJson && !samples.isObject
  await emptyMembers(members, isBatch ? samples : null)
  if (!isBatch) yield flatten(members)
  else
    for await (const elements of samples.elements()) {
      const [first] = elements
      const raws = first instanceof LargeJson ? [await sampleOf(first)] : elements
      yield raws.map(raw => ({ raw, machineId: members['machineId'] }))
    }
}

async function sampleOf(large: LargeJson): Promise<unknown> {
  return large.isObject ? emptyMembers(await large.members()) : emptied(large)
}

async function emptyMembers(members: Record<string, unknown>, except: LargeJson | null = null): Promise<object> {
  for (const [name, member] of Object.entries(members))
    if (member instanceof LargeJson && member !== except) members[name] = await emptied(member)
  return members
}

async function emptied(large: LargeJson): Promise<object> {
  await large.check()
  return large.isObject ? {} : []
}

function single(raw: unknown): SentSample {
  return { raw, machineId: undefined }
}

/** Returns a sample as JSON of its own. A sample of a batch gets the machineId of the batch if that can be a machine's id. */
export function standalone({ raw, machineId }: SentSample): string {
  if (!isObject(raw)) return JSON.stringify(raw)
  const isPlausible = typeof machineId === 'string' && machineId.length <= maxIdLength
  return JSON.stringify(isPlausible ? { ...raw, machineId: raw.machineId ?? machineId } : raw)
}

/** Maximum length of a machine's id that is copied from a batch to each of its samples, in UTF-16 units. */
const maxIdLength = 200
