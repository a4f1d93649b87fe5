import { hourMs, slotOf } from '../../shared/time/units.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { StateSamplesMessage, RebuildProgress } from '../../schema/topics.ts'
import type { Affected } from '../records/affected.ts'
import type { Sample } from '../../schema/sample.ts'
import type { MachineInputs } from '../timeline/types.ts'
import type { DayCalendar } from './company-days.ts'
import { DayDocuments } from './day-documents.ts'
import type { DayTask } from './day-task.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { createTrack, extendBack, forgetBefore, isHeavy, mergeSeen, type MachineTrack } from './machine-track.ts'
import type { DocumentStore, SupersededCopy, VersionedDocument } from '../../schema/document-store.ts'
import { recompute, type Work } from './recompute.ts'
import { Rebuilds } from './rebuilds.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { Takes, type LeftHours } from './takes.ts'
import { divideTouched, pickWork, touchedWork } from './work.ts'
import { noCompany, type CompanyRef, type MachineRef } from '../../schema/refs.ts'

export interface PartitionDeps {
  readonly partition: number
  /** How many partitions share the machines. */
  readonly partitions: number
  readonly fence: number
  readonly store: DocumentStore
  readonly clock: () => number
  /** What a machine's documents are made from, by the records as they are now; undefined for a machine that doesn't exist. */
  readonly inputsOf: (machineRef: MachineRef) => MachineInputs | undefined
  /** A company's days by the records as they are now; undefined for a company that doesn't exist. */
  readonly calendarOf: (companyRef: CompanyRef) => DayCalendar | undefined
  /** Called when documents of the current hour were written. */
  readonly onCurrent: (tracks: readonly MachineTrack[]) => void
  /** The next offset of the topic of state samples that the partition has yet to take; 0 by default. */
  readonly nextOffset?: number
  /** Called where samples of a machine's hour were passed over, as they raise too many conditions. */
  readonly onPassedOver?: (machineRef: MachineRef, slotMs: number, samples: number) => void
  /** Called when documents were written, before anything tells that they are. */
  readonly onWritten?: (documents: readonly VersionedDocument[]) => void
}

/** Hours that stay in memory before the current one: late samples mostly fall into them. */
const keptHours = 2
/** The document of the next hour is written this long before it begins, spread over the time. */
const aheadMs = 600_000
/** A machine whose hour took this long to make rests afterwards, so many times as long: the others' turns come first. */
const longMs = 200
const restTimes = 9
/** A machine that goes stale must have its bound rewritten this long before it comes. */
const staleMarginMs = 40_000

/**
 * Owner of one partition of state samples: turns its machines' samples into documents. Everything that touches the machines runs one
 * task after the other. Whoever takes over finds what was left undone in the stored documents themselves.
 */
export class Partition {
  readonly #deps: PartitionDeps
  readonly #serial = createSerial()
  readonly #tracks = new Map<MachineRef, MachineTrack>()
  readonly #days: DayDocuments
  readonly #rebuilds = new Rebuilds()
  readonly #takes: Takes
  #written = 0n

  constructor(deps: PartitionDeps) {
    this.#deps = deps
    this.#takes = new Takes(deps.nextOffset ?? 0)
    this.#days = new DayDocuments({
      ...deps,
      nextVersion: () => this.#nextVersion(),
      tracksOf: companyRef => [...this.#tracks.values()].filter(track => track.companyRef === companyRef),
    })
  }

  get dirtyHours(): number {
    let hours = 0
    for (const track of this.#tracks.values()) hours += track.dirty.hours
    return hours
  }

  /** Dirty hours of the time that is under way or just over. */
  get liveDirtyHours(): number {
    const fromMs = this.#liveFromMs
    let hours = 0
    for (const { dirty } of this.#tracks.values()) {
      if ((dirty.last ?? -Infinity) < fromMs) continue
      for (let slotMs = fromMs; slotMs <= (dirty.last ?? -Infinity); slotMs += hourMs) if (dirty.has(slotMs)) hours++
    }
    return hours
  }

  /** Whether there are hours to make again now; a machine that rests has none for the moment. */
  get isBusy(): boolean {
    return this.#pickWork() !== null
  }

  /** The next offset of the topic of state samples to take; what is left of those before is dirty. */
  get nextOffset(): number {
    return this.#takes.nextOffset
  }

  /** Every state sample before this offset is in the documents: so far may be committed. */
  get doneOffset(): number {
    return this.#takes.doneOffset()
  }

  /** Every state sample before this offset is in the documents, as far as its hour is under way or just over. */
  get liveOffset(): number {
    return this.#takes.doneOffset(this.#liveFromMs)
  }

  /** The hour before the one that is under way. */
  get #liveFromMs(): number {
    return slotOf(this.#deps.clock()) - hourMs
  }

  /** Machines' days that reports take from hours until they are made again. */
  get staleDays(): number {
    return this.#days.staleDays
  }

  /** Rebuilds that were begun here and not yet ended. */
  get rebuilds(): readonly RebuildProgress[] {
    return this.#rebuilds.progress
  }

  get tracks(): Iterable<MachineTrack> {
    return this.#tracks.values()
  }

  /**
   * Reads what the store knows of the machines, and marks what has to be made again. `companies` are all that there are: of those
   * without a machine here, too, it has to be said that none is missing.
   */
  async takeOver(
    machines: readonly MachineRecord[],
    companyOf: (machine: MachineRecord) => CompanyRef,
    companies: readonly CompanyRef[],
  ): Promise<void> {
    await this.#serial(async () => {
      for (const [companyRef, ofCompany] of groupBy(machines, companyOf)) {
        await this.#takeOverCompany(
          companyRef,
          ofCompany.map(machine => machine.ref),
        )
      }
      await this.#days.takeOver(companies)
    })
  }

  async #takeOverCompany(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<void> {
    const { store } = this.#deps
    const [extents, firstSeen, broken] = await Promise.all([
      store.readExtents(companyRef, machines),
      store.readFirstSeen(companyRef, machines),
      store.readBrokenLinks(companyRef, machines),
    ])
    for (const machineRef of machines) this.addMachine(machineRef, firstSeen.get(machineRef))
    for (const { machineRef, firstSlotMs, lastSlotMs } of extents) {
      const track = this.#tracks.get(machineRef)
      if (!track) continue
      extendBack(track, firstSlotMs)
      track.lastSlotMs = lastSlotMs
      track.dirty.remove(firstSlotMs, lastSlotMs + hourMs)
      if (track.inputs.settings.staleAfterMs !== null) track.dirty.add(lastSlotMs - hourMs, lastSlotMs + hourMs)
    }
    for (const { machineRef, slotMs } of broken) this.#tracks.get(machineRef)?.dirty.add(slotMs)
  }

  /** A machine that exists from now on; its hours up to now are made in the background. */
  addMachine(machineRef: MachineRef, firstSeenMs?: number): void {
    const inputs = this.#deps.inputsOf(machineRef)
    if (!inputs || this.#tracks.has(machineRef)) return
    const startMs = Math.min(
      inputs.commissioned.fromMs ?? Infinity,
      inputs.commissioned.createdMs,
      firstSeenMs ?? Infinity,
    )
    const track = createTrack(machineRef, inputs.companyRef, inputs, slotOf(startMs))
    track.dirty.add(track.firstSlotMs, slotOf(this.#deps.clock()) + hourMs)
    this.#tracks.set(machineRef, track)
  }

  /**
   * Takes a batch of state samples, which ends before `nextOffset` of their topic. When it resolves they are stored, and so are the documents
   * of the hours they fall into. What they change in later hours is marked, and follows in `work`; so do the hours of a machine that
   * would hold up the others (`doneOffset` says how far all is done).
   */
  async take(
    messages: readonly StateSamplesMessage[],
    nextOffset = this.#takes.nextOffset + messages.length,
  ): Promise<void> {
    await this.#serial(async () => {
      for (const machineRef of machinesOf(messages)) this.addMachine(machineRef)
      const copies = await this.#store(messages)
      const touched = this.#mark(messages)
      this.#forgetCopies(copies, touched)
      const nowMs = this.#deps.clock()
      const { now, later } = divideTouched(touched, slotOf(nowMs) - keptHours * hourMs)
      for (const work of touchedWork(now, nowMs)) await this.#recompute(work)
      this.#takes.add(nextOffset, stillDirty(later))
    })
  }

  /** Answers the samples that others, of the same number, stand for. */
  async #store(messages: readonly StateSamplesMessage[]): Promise<readonly SupersededCopy[]> {
    const known = messages.flatMap(({ samples }) => samples.filter(({ machineRef }) => this.#tracks.has(machineRef)))
    const seen = messages
      .flatMap(message => message.seen.map(([machineRef, firstMs, lastMs]) => ({ machineRef, firstMs, lastMs })))
      .filter(({ machineRef }) => this.#tracks.has(machineRef))
    const companyOf = ({ machineRef }: { machineRef: MachineRef }) =>
      this.#tracks.get(machineRef)?.companyRef ?? noCompany
    await Promise.all([
      ...[...groupBy(known, companyOf)].map(([companyRef, rows]) => this.#deps.store.writeSamples(companyRef, rows)),
      ...[...groupBy(seen, companyOf)].map(([companyRef, rows]) => this.#deps.store.writeSeen(companyRef, rows)),
    ])
    const copies = [...groupBy(known, companyOf)].map(([companyRef, rows]) =>
      this.#deps.store.supersedeCopies(companyRef, rows),
    )
    return (await Promise.all(copies)).flat()
  }

  /** The hours that copies lie in are made again from what is stored, which leaves them out. */
  #forgetCopies(copies: readonly SupersededCopy[], touched: Map<MachineTrack, Set<number>>): void {
    for (const { machineRef, atUs } of copies) {
      const track = this.#tracks.get(machineRef)
      if (!track) continue
      const slotMs = slotOf(atUs / 1000)
      track.hours.delete(slotMs)
      if (slotMs <= track.lastSlotMs) track.dirty.add(slotMs)
      touched.set(track, (touched.get(track) ?? new Set()).add(slotMs))
    }
  }

  /** Adds what came to the hours in memory; returns which hours of which machines it touches. */
  #mark(messages: readonly StateSamplesMessage[]): Map<MachineTrack, Set<number>> {
    const touched = new Map<MachineTrack, Set<number>>()
    const touch = (track: MachineTrack, slotMs: number) => {
      const slots = touched.get(track)
      if (slots) slots.add(slotMs)
      else touched.set(track, new Set([slotMs]))
    }
    for (const { samples, seen } of messages) {
      for (const [machineRef, firstMs, lastMs] of seen) this.#markSeen(machineRef, firstMs, lastMs, touch)
      for (const sample of samples) this.#markSample(sample, touch)
    }
    const horizonMs = slotOf(this.#deps.clock()) + hourMs
    for (const [track, slots] of touched) {
      track.dirty.addHours([...slots].filter(slotMs => slotMs < horizonMs || slotMs <= track.lastSlotMs))
    }
    return touched
  }

  #markSample(sample: Sample, touch: (track: MachineTrack, slotMs: number) => void): void {
    const track = this.#tracks.get(sample.machineRef)
    if (!track) return
    const slotMs = slotOf(sample.atUs / 1000)
    extendBack(track, slotMs)
    track.hours.get(slotMs)?.samples.push(sample)
    touch(track, slotMs)
  }

  #markSeen(
    machineRef: MachineRef,
    firstMs: number,
    lastMs: number,
    touch: (track: MachineTrack, slotMs: number) => void,
  ): void {
    const track = this.#tracks.get(machineRef)
    if (!track) return
    const slotMs = slotOf(firstMs)
    const extended = slotMs < track.firstSlotMs
    extendBack(track, slotMs)
    const hour = track.hours.get(slotMs)
    const news = hour ? mergeSeen(hour, machineRef, firstMs, lastMs) : true
    const isNewest = firstMs > track.lastSeenMs && slotMs >= slotOf(this.#deps.clock())
    track.lastSeenMs = Math.max(track.lastSeenMs, lastMs)
    if (extended || (slotMs === track.firstSlotMs && news)) touch(track, slotMs)
    else if (track.inputs.settings.staleAfterMs !== null && news && !isNewest) touch(track, slotMs)
  }

  /** The records that machines' documents are made from have changed, or what is known of a company. */
  async recordsChanged(
    affected: readonly Omit<Affected, 'what'>[],
    companyRef: CompanyRef | null = null,
  ): Promise<void> {
    await this.#serial(async () => {
      if (companyRef !== null) this.#days.companyChanged(companyRef)
      for (const { machineRef, fromMs, toMs } of affected) {
        const track = this.#tracks.get(machineRef)
        if (!track) {
          this.addMachine(machineRef)
          continue
        }
        const inputs = this.#deps.inputsOf(machineRef)
        if (inputs) track.inputs = inputs
        const startMs = Math.min(track.inputs.commissioned.fromMs ?? Infinity, track.inputs.commissioned.createdMs)
        extendBack(track, slotOf(startMs))
        const from = Math.max(track.firstSlotMs, slotOf(fromMs))
        const to = Math.min(track.lastSlotMs, toMs === null ? Infinity : slotOf(toMs)) + hourMs
        track.dirty.add(from, to)
      }
    })
  }

  /** Begins to make every hour again of the machines, of those of one company or of all (null), where it hasn't yet. */
  async startRebuild(id: string, companyRef: CompanyRef | null): Promise<void> {
    await this.#serial(async () => {
      if (this.#rebuilds.has(id)) return
      const tracks = [...this.#tracks.values()].filter(track => companyRef === null || track.companyRef === companyRef)
      for (const [ofCompany, group] of groupBy(tracks, track => track.companyRef)) {
        const firstSeen = await this.#deps.store.readFirstSeen(
          ofCompany,
          group.map(({ machineRef }) => machineRef),
        )
        for (const track of group) extendBack(track, slotOf(firstSeen.get(track.machineRef) ?? Infinity))
      }
      this.#rebuilds.start(id, tracks)
    })
  }

  /** A rebuild is done, and is known to be. */
  endRebuild(id: string): void {
    this.#rebuilds.forget(id)
  }

  /** Makes hours again for about one slice of work, dirty ones before those of a rebuild; returns whether anything is left. */
  async work(): Promise<boolean> {
    return this.#serial(async () => {
      const dirty = this.#pickWork()
      if (dirty) await this.#recompute(dirty)
      else await this.#rebuildSlice()
      return this.isBusy || this.#rebuilds.pick() !== null
    })
  }

  #pickWork(): Work | null {
    return pickWork(this.#tracks.values(), this.#liveFromMs, performance.now())
  }

  async #rebuildSlice(): Promise<void> {
    const slice = this.#rebuilds.pick()
    if (!slice) return
    await this.#recompute(slice)
    this.#rebuilds.made(slice)
  }

  /**
   * Makes day documents for about one slice of work, where no hour is left to be made; returns what it made, null where there was
   * nothing to do. State samples are taken while the store is at it.
   */
  async workOnDays(): Promise<DayTask | null> {
    const task = await this.#serial(async () => (this.isBusy ? null : this.#days.pick()))
    if (!task) return null
    await this.#deps.store.buildDays(task.companyRef, task.machines, task.days, task.version)
    await this.#serial(() => this.#days.made(task))
    return task
  }

  /** What the passing of time asks for: the hour that began, the one that is about to, machines that would go stale. */
  async tick(): Promise<void> {
    await this.#serial(async () => {
      const nowMs = this.#deps.clock()
      const current = slotOf(nowMs)
      for (const track of this.#tracks.values()) {
        const needed = nowMs >= current + hourMs - aheadOf(track) ? current + hourMs : current
        if (isStaleSoon(track, nowMs) || (needed > track.lastSlotMs && track.lastSeenMs > track.writtenSeenMs)) {
          if (track.inputs.settings.staleAfterMs !== null)
            track.dirty.add(Math.min(track.lastSlotMs, slotOf(track.lastSeenMs)))
        }
        track.dirty.add(track.lastSlotMs + hourMs, needed + hourMs)
        forgetBefore(track, current - keptHours * hourMs)
      }
      await Promise.resolve()
    })
  }

  async #recompute(work: Work): Promise<void> {
    const { store, clock } = this.#deps
    const current = slotOf(clock())
    const begunMs = performance.now()
    await recompute(work, {
      store,
      nextVersion: () => this.#nextVersion(),
      keepFromMs: current - keptHours * hourMs,
      beforeWrite: documents => this.#days.beforeWrite(documents),
      onPassedOver: (track, slotMs, samples) => this.#deps.onPassedOver?.(track.machineRef, slotMs, samples),
      onWritten: this.#deps.onWritten,
    })
    this.#takes.made(work.tracks)
    const tookMs = performance.now() - begunMs
    for (const track of work.tracks)
      if (tookMs > longMs && isHeavy(track)) track.restsUntilMs = performance.now() + restTimes * tookMs
    if (work.fromMs <= current && current < work.toMs) this.#deps.onCurrent(work.tracks)
  }

  #nextVersion(): bigint {
    return (BigInt(this.#deps.fence) << 40n) | this.#written++
  }
}

/** The hours of these that have to be made: those to come wait for their time, and are found by it. */
function stillDirty(hours: LeftHours): LeftHours {
  return new Map(
    [...hours]
      .map(([track, slots]) => [track, new Set([...slots].filter(slotMs => track.dirty.has(slotMs)))] as const)
      .filter(([, slots]) => slots.size > 0),
  )
}

/** Every machine that the messages speak of. */
export function machinesOf(messages: readonly StateSamplesMessage[]): ReadonlySet<MachineRef> {
  const machines = new Set<MachineRef>()
  for (const { samples, seen } of messages) {
    for (const { machineRef } of samples) machines.add(machineRef)
    for (const [machineRef] of seen) machines.add(machineRef)
  }
  return machines
}

/** Machines write their next hour at different moments, so that the turn of the hour is no burst. */
function aheadOf(track: MachineTrack): number {
  return ((track.machineRef * 7919) % 1000) * (aheadMs / 1000)
}

function isStaleSoon(track: MachineTrack, nowMs: number): boolean {
  const { staleAfterMs } = track.inputs.settings
  if (staleAfterMs === null || track.lastSeenMs <= track.writtenSeenMs) return false
  return track.writtenSeenMs + staleAfterMs - staleMarginMs < nowMs
}
