import { type Sample, unsaid } from '../../schema/sample.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { LargeJson, openJson, type Pieces } from '../../shared/json/large-json.ts'
import { parseJson } from '../../shared/json/parse-json.ts'
import type { MachineInfo, MachineLookup } from './machine.ts'
import { isCompact, type MachineName, type PackedPlain, plainValue, readCompact } from './compact-samples.ts'
import { type PlainSample, PlainSamples } from './plain-samples.ts'
import { readPlainNames, readPlainValue } from './plain-names.ts'
import { isFaulty, longNamesOf, readSample, type RawSample, type DataItemNames } from './sample.ts'
import type { TimeBounds } from './take-packed.ts'
import { wireSample } from './wire-sample.ts'
import { dayMs } from '../../shared/time/units.ts'
import { type CompanyRef, type MachineRef, noMachine } from '../../schema/refs.ts'

/** How far ahead of the log's clock a sample may be. */
const maxAheadMs = dayMs

/** Bounds of a record of samples.v1: a megabyte of the shortest samples, ten times over. */
export const recordBounds: JsonBounds = {
  ...defaultJsonBounds,
  bytes: 10_485_760,
  elements: 150_000,
  values: 2_000_000,
}

export interface DecodeContext {
  readonly machine: MachineLookup
  /** Finds the machines of compact records of several; without it there are none. */
  readonly machineByRef?: (ref: MachineRef) => MachineInfo | undefined
  /** When the log took the record; the age of its samples is judged by this. */
  readonly appendedAtMs: number
  /** Bounds of a whole record; `recordBounds` by default. */
  readonly bounds?: JsonBounds
  /** Whether records may be compact: where nobody else writes the log. */
  readonly mayBeCompact?: boolean
}

/** Samples of a record. Every sample stands in exactly one of the lists, in the record's order. */
export interface Decoded {
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejection[]
}

export interface Accepted {
  /** Counts the record's samples from 0. */
  readonly index: number
  readonly sample: Sample
  readonly machine: MachineInfo
  /** `CompanyRecord.ref` of the machine's company. */
  readonly companyRef: CompanyRef
}

export interface Rejection extends Refused {
  /** JSON text that stands for the sample alone, for replay. */
  readonly value: string
}

/** A sample that is not taken, and why. */
export interface Refused {
  readonly index: number
  readonly reason: DeadLetterReason
  /** Every fault of it, for a human. */
  readonly message: string
}

/** A sample as it came, and the machine that its batch names (undefined: it came alone). */
export interface Flat {
  readonly raw: unknown
  readonly machineId: unknown
}

/** Reads a record of samples.v1: a sample, or a gateway's batch `{machineId, samples}`. One bad sample rejects no other. Never throws. */
export function decodeRecord(value: Buffer, context: DecodeContext): Decoded {
  if (context.mayBeCompact && isCompact(value)) return decodeCompact(value, context)
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

/** Finds a machine that a compact record names. */
export function namedMachine(
  name: MachineName,
  { machine, machineByRef }: Pick<DecodeContext, 'machine' | 'machineByRef'>,
): MachineInfo | undefined {
  return typeof name === 'string' ? machine(name) : machineByRef?.(name)
}

/** Whether a judged sample has its machine. */
function isPlaced(
  sound: Omit<PlainAccepted, 'machine'> & { readonly machine: MachineInfo | undefined },
): sound is PlainAccepted {
  return sound.machine !== undefined
}

const noJson = Buffer.alloc(0)
const noNames: DataItemNames = { key: '', type: '', subtype: '', category: 'EVENT' }

/** Samples that were checked before they were written in this form: only their age and their machine are judged again. */
function decodeCompact(value: Buffer, context: DecodeContext): Decoded {
  const accepted: Accepted[] = []
  const rejected: Rejection[] = []
  let index = 0
  try {
    const { machines, each } = readCompact(value)
    const places = machines.map(name => placeOf(name, context))
    each((unplaced, place) => {
      const named = places[place] ?? noPlace
      const sample = { machineRef: named.machine?.ref ?? noMachine, ...unplaced }
      const verdict = judgePlaced(index++, sample, named, context)
      if (isAccepted(verdict)) accepted.push(verdict)
      else rejected.push({ ...verdict, value: rejectedValue(named, sample) })
    })
    return { accepted, rejected }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const message = `Damaged record: ${error.message}`
    return { accepted: [], rejected: [{ index: 0, reason: 'invalid_json', message, value: value.toString('base64') }] }
  }
}

const noPlace: Place = { machineId: '', machine: undefined }

/** Finds the machine of a compact record. */
function placeOf(name: MachineName, context: DecodeContext): Place {
  const machine = namedMachine(name, context)
  if (typeof name === 'string') return { machineId: name, machine }
  return machine
    ? { machineId: machine.id.toLowerCase(), machine }
    : { machineId: undefined, machine, unknownRef: name }
}

/** JSON text of a rejected sample. Where no machine has the ref, it tells that as `machineRef`: nobody knows the id. */
function rejectedValue({ machineId = '', unknownRef }: Place, sample: Sample): string {
  const { machineId: id, ...told } = wireSample(machineId, sample)
  return JSON.stringify(unknownRef === undefined ? { machineId: id, ...told } : { machineRef: unknownRef, ...told })
}

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
  if (!(error instanceof JsonOutOfBounds || error instanceof SyntaxError)) throw error
  const message = error instanceof JsonOutOfBounds ? `JSON out of bounds: ${error.message}` : 'Problem parsing JSON'
  return { index: 0, reason: 'invalid_json', message, value: value.toString() }
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

/** Id of the machine that a sample names, in lower case: its own, else its batch's. undefined: it names none. */
export function machineIdOf({ raw, machineId }: Flat): string | undefined {
  const named = (isObject(raw) ? raw.machineId : undefined) ?? machineId
  return typeof named === 'string' ? named.toLowerCase() : undefined
}

/** Judges one sample; `index` is its place among those that came with it. */
export function judgeSample(flat: Flat, index: number, context: DecodeContext): Accepted | Refused {
  if (!isObject(flat.raw)) return refuse(index, 'invalid_sample', ['a sample must be a JSON object'])
  const machineId = machineIdOf(flat)
  const machine = machineId === undefined ? undefined : context.machine(machineId)
  const longNames = longNamesOf(flat.raw)
  if (longNames !== '') return refuse(index, 'name_too_long', [longNames])
  const sample = readSample(flat.raw, machine?.ref ?? noMachine)
  if (isFaulty(sample)) return refuse(index, 'invalid_sample', [...sample, ...machineFaults(machineId, machine)])
  return judgePlaced(index, sample, { machineId, machine }, context)
}

interface Place {
  readonly machineId: string | undefined
  /** undefined: there is no such machine. */
  readonly machine: MachineInfo | undefined
  /** Ref by which a compact record names the machine, where no machine has it. */
  readonly unknownRef?: MachineRef
}

/** Judges a sound sample by its time and machine. */
function judgePlaced(
  index: number,
  sample: Sample,
  { machineId, machine, unknownRef }: Place,
  context: DecodeContext,
): Accepted | Refused {
  if (sample.atUs > (context.appendedAtMs + maxAheadMs) * 1000) {
    return refuse(index, 'future_timestamp', ['timestamp is more than 24 hours ahead'])
  }
  if (unknownRef !== undefined) return refuse(index, 'unknown_machine', [`no machine has the ref ${unknownRef}`])
  if (machine === undefined) return refuseUnknown(index, machineId)
  if (sample.atUs < (context.appendedAtMs - machine.maxSampleAgeDays * dayMs) * 1000) {
    return refuse(index, 'past_timestamp', [`timestamp is more than ${machine.maxSampleAgeDays} days old`])
  }
  return { index, sample, machine, companyRef: machine.companyRef }
}

/** Times of a machine's samples that are taken, where the log took them at that time. */
export function timeBounds({ maxSampleAgeDays }: MachineInfo, appendedAtMs: number): TimeBounds {
  return { fromUs: (appendedAtMs - maxSampleAgeDays * dayMs) * 1000, toUs: (appendedAtMs + maxAheadMs) * 1000 }
}

/** Whether a sample was taken. */
export function isAccepted(verdict: Accepted | Refused): verdict is Accepted {
  return 'sample' in verdict
}

function refuseUnknown(index: number, machineId: string | undefined): Refused {
  const faults = machineFaults(machineId, undefined)
  if (faults.length > 0) return refuse(index, 'invalid_sample', faults)
  return refuse(index, 'unknown_machine', [`there is no machine ${machineId}`])
}

/** Faults of a machine's id. The id of a machine that exists has none, even where it is no UUID. */
function machineFaults(machineId: string | undefined, found: MachineInfo | undefined): readonly string[] {
  return found === undefined && !isUuid(machineId) ? ['machineId must be a UUID'] : []
}

function isUuid(text: string | undefined): boolean {
  return text !== undefined && /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)
}

function refuse(index: number, reason: DeadLetterReason, faults: readonly string[]): Refused {
  return { index, reason, message: faults.join('; ') }
}

/** JSON text of a sample by itself. A sample of a batch gets the machine that the batch names, if that can be a machine's id. */
export function standalone({ raw, machineId }: Flat): string {
  if (!isObject(raw)) return JSON.stringify(raw)
  const isPlausible = typeof machineId === 'string' && machineId.length <= maxIdLength
  return JSON.stringify(isPlausible ? { ...raw, machineId: raw.machineId ?? machineId } : raw)
}

/** Longest machine id, in UTF-16 units, that is copied from a batch to each of its samples. */
const maxIdLength = 200

/** Whether it is a JSON object, whatever its fields. */
function isObject(value: unknown): value is RawSample & { readonly samples?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
