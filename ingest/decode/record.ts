import { unsaid } from '../../schema/sample.ts'
import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { LargeJson, openJson, type Pieces } from '../../shared/json/large-json.ts'
import { parseJson } from '../../shared/json/parse-json.ts'
import { jsonProblem } from '../../shared/json/utf8.ts'
import { decodeCompact } from './compact-record.ts'
import { isCompact, type PackedPlain, plainValue } from './compact-samples.ts'
import {
  type Accepted,
  type DecodeContext,
  type Decoded,
  type Flat,
  isAccepted,
  isObject,
  judgeSample,
  type Rejection,
  timeBounds,
} from './judge.ts'
import { textOfRecord } from './dead-letters.ts'
import type { MachineInfo } from './machine.ts'
import { type PlainSample, PlainSamples } from './plain-samples.ts'
import { readPlainNames, readPlainValue } from './plain-names.ts'
import type { DataItemNames } from './sample.ts'

/** Bounds of a record of samples.v1: a megabyte of the shortest samples, ten times over. */
export const recordBounds: JsonBounds = {
  ...defaultJsonBounds,
  bytes: 10_485_760,
  elements: 150_000,
  values: 2_000_000,
}

/** Reads a record of samples.v1: a sample, a gateway's batch `{machineId, samples}`, or compact samples. One bad sample rejects no other. Throws only if the process lacks memory. */
export function decodeRecord(value: Buffer, context: DecodeContext): Decoded {
  if (isCompact(value)) return decodeCompact(value, context)
  return decodePlain(value, context) ?? decodeJson(value, context)
}

/** Reads a record of any JSON. */
export function decodeJson(value: Buffer, context: DecodeContext): Decoded {
  try {
    return decodeSamples(flatten(parseJson(value, context.bounds ?? recordBounds)), context)
  } catch (error) {
    return { accepted: [], rejected: [unreadable(value, error)] }
  }
}

/** Reads a record that is plain and without a fault, which nearly all are; null: it is not. */
function decodePlain(value: Buffer, context: DecodeContext): Decoded | null {
  const accepted: Accepted[] = []
  const judge = plainJudge(context)
  const state = new PlainSamples(value, context.bounds ?? recordBounds, false).read(Infinity, raw => {
    const sound = judge(raw)
    if (sound === null) return false
    const { machine, names, atUs } = sound
    const { key, type, subtype, category } = names
    const value = plainValue(sound)
    const sample = { ...unsaid, machineRef: machine.ref, atUs, key, type, subtype, category, value }
    accepted.push({ index: accepted.length, sample, machine, companyRef: machine.companyRef })
    return true
  })
  return state === 'done' ? { accepted, rejected: [] } : null
}

/** A plain sample that is accepted, good until the next one is judged. */
export interface PlainAccepted extends PackedPlain {
  /** In lower case. */
  readonly machineId: string
  readonly machine: MachineInfo
}

/** Judges plain samples, most of which are of the machine of the one before; null: it is not accepted. */
export function plainJudge(context: DecodeContext): (raw: PlainSample) => PlainAccepted | null {
  let named = ''
  let machine: MachineInfo | undefined
  let fromUs = 0
  let toUs = 0
  const sound: { -readonly [Field in keyof PackedPlain]: PackedPlain[Field] } & {
    machineId: string
    machine: typeof machine
  } = {
    machineId: '',
    machine,
    atUs: 0,
    names: noNames,
    value: null,
    json: noJson,
    valueStart: 0,
    valueEnd: 0,
  }
  return raw => {
    if (raw.machineId !== named) {
      named = raw.machineId
      sound.machineId = named.toLowerCase()
      machine = context.machine(sound.machineId)
      sound.machine = machine
      if (machine !== undefined) ({ fromUs, toUs } = timeBounds(machine, context.appendedAtMs))
    }
    const names = readPlainNames(raw.names)
    const value = names === null ? undefined : readPlainValue(raw, names)
    if (machine === undefined || names === null || value === undefined) return null
    if (!(raw.atUs <= toUs && raw.atUs >= fromUs)) return null
    sound.atUs = raw.atUs
    sound.names = names
    sound.value = value
    sound.json = raw.json
    sound.valueStart = raw.valueStart
    sound.valueEnd = raw.valueEnd
    return isPlaced(sound) ? sound : null
  }
}

/** Whether a judged sample has its machine. */
function isPlaced(
  sound: Omit<PlainAccepted, 'machine'> & { readonly machine: MachineInfo | undefined },
): sound is PlainAccepted {
  return sound.machine !== undefined
}

const noJson = Buffer.alloc(0)
const noNames: DataItemNames = { key: '', type: '', subtype: '', category: 'EVENT' }

/** Reads a record of any size as `decodeRecord` does, and lets other work run in between. */
export async function decodeLargeRecord(value: Buffer, context: DecodeContext, pieces: Pieces): Promise<Decoded> {
  const decoded: { readonly accepted: Accepted[]; readonly rejected: Rejection[] } = { accepted: [], rejected: [] }
  try {
    let index = 0
    for await (const samples of flattenLarge(await openJson(value, context.bounds ?? recordBounds, pieces))) {
      decodeSamples(samples, context, decoded, index)
      index += samples.length
      if (pieces.slice.isOver) await pieces.slice.next()
    }
    return decoded
  } catch (error) {
    return { accepted: [], rejected: [unreadable(value, error)] }
  }
}

/** A record that is no JSON, or JSON beyond its bounds, is rejected whole. */
function unreadable(value: Buffer, error: unknown): Rejection {
  // The next attempt may have the memory that this one lacks.
  if (error instanceof RangeError && /allocation failed/i.test(error.message)) throw error
  const text = textOfRecord(value)
  if (error instanceof JsonOutOfBounds)
    return { index: 0, reason: 'invalid_json', message: `JSON out of bounds: ${error.message}`, value: text }
  if (error instanceof SyntaxError)
    return { index: 0, reason: 'invalid_json', message: jsonProblem(value), value: text }
  const why = error instanceof Error ? error.message : String(error)
  return { index: 0, reason: 'undecodable_record', message: `The record cannot be decoded: ${why}`, value: text }
}

function decodeSamples(
  samples: readonly Flat[],
  context: DecodeContext,
  decoded: { readonly accepted: Accepted[]; readonly rejected: Rejection[] } = { accepted: [], rejected: [] },
  first = 0,
): Decoded {
  for (const [place, flat] of samples.entries()) {
    const verdict = judgeSample(flat, first + place, context)
    if (isAccepted(verdict)) decoded.accepted.push(verdict)
    else decoded.rejected.push({ ...verdict, value: standalone(flat) })
  }
  return decoded
}

/** The samples of a JSON value: a sample, a batch, or an array of both. Any other value counts as one (bad) sample. */
export function flatten(json: unknown): Flat[] {
  if (Array.isArray(json))
    return json.flatMap(element => (Array.isArray(element) ? [alone(element)] : flatten(element)))
  if (!isObject(json) || !Array.isArray(json.samples)) return [alone(json)]
  const machineId = json.machineId
  return json.samples.map((raw: unknown) => ({ raw, machineId }))
}

/**
 * The samples of JSON that `openJson` has opened, some at a time. An array or object larger than a piece, which no sample can
 * hold, comes empty. Throws a `SyntaxError`; then the samples before it must not be taken either.
 */
export async function* flattenLarge(json: unknown): AsyncGenerator<readonly Flat[]> {
  if (!(json instanceof LargeJson)) yield flatten(json)
  else if (json.isObject) yield* flattenObject(await json.members())
  else
    for await (const elements of json.elements()) {
      const [first] = elements
      if (first instanceof LargeJson && first.isObject) yield* flattenLarge(first)
      else yield flatten(first instanceof LargeJson ? [await emptied(first)] : elements)
    }
}

async function* flattenObject(members: Record<string, unknown>): AsyncGenerator<readonly Flat[]> {
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

async function emptyMembers(members: Record<string, unknown>, but: LargeJson | null = null): Promise<object> {
  for (const [name, member] of Object.entries(members))
    if (member instanceof LargeJson && member !== but) members[name] = await emptied(member)
  return members
}

async function emptied(large: LargeJson): Promise<object> {
  await large.check()
  return large.isObject ? {} : []
}

function alone(raw: unknown): Flat {
  return { raw, machineId: undefined }
}

/** JSON text of a sample by itself. A sample of a batch gets the machine that the batch names, if that can be a machine's id. */
export function standalone({ raw, machineId }: Flat): string {
  if (!isObject(raw)) return JSON.stringify(raw)
  const isPlausible = typeof machineId === 'string' && machineId.length <= maxIdLength
  return JSON.stringify(isPlausible ? { ...raw, machineId: raw.machineId ?? machineId } : raw)
}

/** Longest machine id, in UTF-16 units, that is copied from a batch to each of its samples. */
const maxIdLength = 200
