import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { HourComputer } from '../timeline/hour-computer.ts'
import { initialState, parseState, type MachineState } from '../timeline/state.ts'
import {
  emptyHour,
  checkDerivedSlots,
  derivedStart,
  evenSliceHours,
  firstReachHours,
  quietSliceHours,
  sliceHours,
  type MachineTrack,
  type TrackedHour,
} from './machine-track.ts'
import type { DayDocuments } from './day-documents.ts'
import type { Segment } from '../../schema/document.ts'
import type { DocumentStore, VersionedDocument } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { MachineInputs } from '../timeline/types.ts'
import type { PartitionInputs } from './machine-tracks.ts'

/** Hours of several machines of one company that are read, computed and written together. */
export interface Work {
  readonly companyRef: CompanyRef
  readonly tracks: readonly MachineTrack[]
  /** The range [fromMs, toMs) of the task; only its dirty hours, and those with a broken link, are written. */
  readonly fromMs: number
  readonly toMs: number
  /** Every hour is recomputed from the store, without caches. */
  readonly isWhole?: boolean
}

export interface RecomputeDeps {
  readonly store: DocumentStore
  readonly inputs: Pick<PartitionInputs, 'read'>
  readonly nextVersion: () => bigint
  /** Updated before documents are stored. */
  readonly days: Pick<DayDocuments, 'beforeWrite'>
  /** Called with the number of further samples of a machine's hour that were skipped because they raise too many conditions. */
  readonly onSkippedSamples?: (machineRef: MachineRef, slotMs: number, samples: number) => void
  /** Called when documents are stored, before subscribers are notified. */
  readonly onWritten?: (documents: readonly VersionedDocument[]) => void
}

interface LoadedHours {
  readonly hours: ReadonlyMap<number, TrackedHour>
  readonly stateIn: MachineState | null
}

interface Loaded extends LoadedHours {
  readonly inputs: MachineInputs
}

/**
 * Recomputes the dirty hours of the range, each from the stored state of the previous hour. If an hour ends in another
 * state than the one from which the next hour started, the next hour becomes dirty: so a change propagates exactly as
 * far as it has an effect. Machines whose hour before the range does not exist yet stay dirty. Yields to the event loop
 * between hours. Resolves to the completed work: a long slice ends sooner if it contains very many samples. Hours from
 * `keepFromMs` on stay in memory. `stored` resolves when the samples are in the store: the documents of hours in memory are written
 * beside them, but count as written only after both.
 */
export async function recompute(
  requested: Work,
  keepFromMs: number,
  deps: RecomputeDeps,
  stored: Promise<void> = Promise.resolve(),
): Promise<Work> {
  const work = await shortened(requested, deps.store, stored)
  const loaded = await load(work, deps, stored)
  const computed = await runCooperatively(computing(work, loaded, keepFromMs, deps))
  const documents = computed.flatMap(each => each.documents)
  if (documents.length > 0) {
    await deps.days.beforeWrite(documents)
    await Promise.all([deps.store.writeDocuments(documents), stored])
    deps.onWritten?.(documents)
  }
  for (const { track, done } of computed) {
    settle(track, done, keepFromMs)
    forgetBeforeFirst(track, work)
    if (track.derivedSlots.size > 0) checkDerivedSlots(track)
    // Nothing could be computed, because the hour before is missing: it is computed first.
    if (done.length === 0 && track.dirty.has(work.fromMs)) track.dirty.add(work.fromMs - hourMs)
  }
  return work
}

/** Limit of the samples of a long slice or a window, which take 30 MB. */
export const maxSamples = 200_000

/** Long slices are for hours without samples, and the number of samples is not known before. */
async function shortened(work: Work, store: DocumentStore, stored: Promise<void>): Promise<Work> {
  const { companyRef, tracks, fromMs, toMs } = work
  const endMs = fromMs + sliceHours * hourMs
  if (toMs <= endMs) return work
  await stored
  const machines = tracks.map(({ machineRef }) => machineRef)
  const samples = await store.countSamples(companyRef, machines, fromMs, toMs)
  return samples > maxSamples ? { ...work, toMs: endMs } : work
}

/** A change may reach hours before the first one, which have no documents. */
function forgetBeforeFirst(track: MachineTrack, { fromMs, toMs }: Work): void {
  const endMs = Math.min(track.firstSlotMs, toMs)
  for (let slotMs = fromMs; slotMs < endMs; slotMs += hourMs) track.dirty.remove(slotMs)
}

interface Done {
  readonly slotMs: number
  readonly hour: TrackedHour
  readonly hashIn: string
  readonly stateOut: MachineState
  /** The next hour starts from another state, or isn't known to start from this one. */
  readonly breaksNext: boolean
  readonly written: boolean
  /** Its document has the lists of the hour before. */
  readonly repeats: boolean
}

interface Computed {
  readonly track: MachineTrack
  readonly documents: readonly VersionedDocument[]
  readonly done: readonly Done[]
}

function* computing(
  work: Work,
  loaded: ReadonlyMap<MachineTrack, Loaded>,
  keepFromMs: number,
  deps: RecomputeDeps,
): Steps<readonly Computed[]> {
  const computed: Computed[] = []
  for (const track of work.tracks)
    computed.push(yield* computeTrack(track, work, must(loaded.get(track)), keepFromMs, deps))
  return computed
}

function* computeTrack(
  track: MachineTrack,
  { fromMs, toMs, isWhole = false }: Work,
  loaded: Loaded,
  keepFromMs: number,
  deps: RecomputeDeps,
): Steps<Computed> {
  const documents: VersionedDocument[] = []
  const done: Done[] = []
  const computer = new HourComputer(loaded.inputs)
  const blank = emptyHour()
  let segments: readonly Segment[] | null = null
  let state = fromMs <= track.firstSlotMs ? initialState() : loaded.stateIn
  let broken = false
  for (let slotMs = Math.max(fromMs, track.firstSlotMs); state !== null && slotMs < toMs; slotMs += hourMs) {
    const isWanted = isWhole && slotMs <= track.lastSlotMs
    if (!isWanted && !broken && !track.dirty.overlaps(slotMs, toMs)) break
    // Old hours without samples are not kept, so they share one object.
    const hour = loaded.hours.get(slotMs) ?? (slotMs < keepFromMs ? blank : emptyHour())
    const [samples, seen] = [hour.samples.arranged(track.machineRef), hour.seen.inOrder(track.machineRef)]
    const { document, stateOut, skippedSamples } = computer.compute(slotMs, state, samples, seen)
    const written = isWanted || broken || track.dirty.has(slotMs) || hour.hashIn !== document.hashIn
    // Assigned to the document itself: a spread would create objects that are slow to create and to read.
    if (written) documents.push(Object.assign(document, { version: deps.nextVersion() }))
    if (skippedSamples > hour.skippedSamples)
      deps.onSkippedSamples?.(track.machineRef, slotMs, skippedSamples - hour.skippedSamples)
    hour.skippedSamples = skippedSamples
    const next = loaded.hours.get(slotMs + hourMs)
    broken = next?.hashIn !== document.hashOut && slotMs + hourMs <= track.lastSlotMs
    const repeats = document.segments === segments
    done.push({ slotMs, hour, hashIn: document.hashIn, stateOut, breaksNext: broken, written, repeats })
    segments = document.segments
    state = stateOut
    yield
  }
  return { track, documents, done }
}

/** Updates dirty, existing and cached hours when the documents are stored. */
function settle(track: MachineTrack, done: readonly Done[], keepFromMs: number): void {
  for (const { slotMs, hour, hashIn, stateOut, breaksNext, written } of done) {
    if (written) {
      track.dirty.remove(slotMs)
      track.lastSlotMs = Math.max(track.lastSlotMs, slotMs)
    }
    if (breaksNext) track.dirty.add(slotMs + hourMs)
    if (slotMs < keepFromMs) continue
    hour.hashIn = hashIn
    hour.stateOut = stateOut
    track.hours.set(slotMs, hour)
  }
  track.writtenSeenMs = track.lastSeenMs
  track.sliceHours = nextSliceHours(done)
  track.isQuiet = done.length > 0 && done.every(({ hour }) => hour.samples.length === 0)
  track.reachHours = done.at(-1)?.breaksNext ? track.reachHours * 8 : firstReachHours
}

/** How many hours a machine's next slice has, after these. */
function nextSliceHours(done: readonly Done[]): number {
  if (done.length < sliceHours) return sliceHours
  if (done.filter(({ hour }) => hour.samples.length > 0).length >= done.length / 100) return sliceHours
  return done.filter(({ repeats }) => repeats).length > done.length / 2 ? evenSliceHours : quietSliceHours
}

/** The input of every machine's hours in the range, one hour more for its link, and the state before the range. */
async function load(
  work: Work,
  { store, inputs }: Pick<RecomputeDeps, 'store' | 'inputs'>,
  stored: Promise<void>,
): Promise<ReadonlyMap<MachineTrack, Loaded>> {
  const cold = work.isWhole ? work.tracks : work.tracks.filter(track => !isWarm(track, work))
  const [read, inputsOf] = await Promise.all([
    cold.length === 0 ? new Map<MachineTrack, LoadedHours>() : stored.then(() => readRange(work, cold, store)),
    inputs.read(
      work.tracks.map(({ machineRef }) => machineRef),
      work,
    ),
  ])
  const loaded = new Map<MachineTrack, Loaded>()
  for (const track of work.tracks) {
    const { hours, stateIn } = read.get(track) ?? {
      hours: track.hours,
      stateIn: track.hours.get(work.fromMs - hourMs)?.stateOut ?? null,
    }
    loaded.set(track, {
      hours,
      stateIn: derivedStart(track, work.fromMs) ?? stateIn,
      inputs: must(inputsOf.get(track.machineRef)),
    })
  }
  return loaded
}

function isWarm(track: MachineTrack, { fromMs, toMs }: Work): boolean {
  const stateIn = derivedStart(track, fromMs) ?? track.hours.get(fromMs - hourMs)?.stateOut
  if (fromMs > track.firstSlotMs && !stateIn) return false
  for (let slotMs = Math.max(fromMs, track.firstSlotMs); slotMs < toMs; slotMs += hourMs) {
    if (!track.hours.has(slotMs)) return false
  }
  return toMs > track.lastSlotMs || (track.hours.get(toMs)?.hashIn ?? null) !== null
}

/** Reads the input of hours of machines, one hour more for its link, and the state before the range. */
export async function readRange(
  { companyRef, fromMs, toMs }: Omit<Work, 'tracks'>,
  tracks: readonly MachineTrack[],
  store: DocumentStore,
) {
  const machines = tracks.map(track => track.machineRef)
  const beforeMs = fromMs - hourMs
  const [samples, seen, links] = await Promise.all([
    store.readSamples(companyRef, machines, fromMs, toMs),
    store.readSeen(companyRef, machines, fromMs, toMs),
    store.readLinks(companyRef, machines, beforeMs, toMs + hourMs),
  ])
  const hours = new Map(machines.map(machineRef => [machineRef, new Map<number, TrackedHour>()]))
  const hourOf = (machineRef: MachineRef, slotMs: number) => getOrCreate(must(hours.get(machineRef)), slotMs, emptyHour)
  for (const sample of samples) hourOf(sample.machineRef, slotOf(sample.atUs / 1000)).samples.push(sample)
  for (const { machineRef, firstMs, lastMs } of seen) hourOf(machineRef, slotOf(firstMs)).seen.merge(firstMs, lastMs)
  const states = new Map<MachineRef, string>()
  for (const { machineRef, slotMs, hashIn, stateOut } of links) {
    if (slotMs === beforeMs) states.set(machineRef, stateOut)
    else hourOf(machineRef, slotMs).hashIn = hashIn
  }
  return new Map(
    tracks.map((track): [MachineTrack, LoadedHours] => {
      const text = states.get(track.machineRef)
      const stateIn = text === undefined ? null : parseState(text)
      return [track, { hours: must(hours.get(track.machineRef)), stateIn }]
    }),
  )
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('invariant: missing value')
  return value
}
