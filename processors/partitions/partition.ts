import { hourMs, slotOf } from '../../shared/time/units.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { StateSamplesMessage, RebuildProgress } from '../../schema/topics.ts'
import type { AffectedHours } from '../records/affected.ts'
import type { DayCalendar } from './company-days.ts'
import { DayDocuments } from './day-documents.ts'
import type { DayTask } from './day-task.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { Intake, machinesOfMessages } from './intake.ts'
import { extendBack, forgetBefore, isHeavy, type MachineTrack } from './machine-track.ts'
import { MachineTracks, type MachineTracksDeps } from './machine-tracks.ts'
import { markPassingTime } from './passing-time.ts'
import type { VersionedDocument } from '../../schema/document-store.ts'
import { recompute, type Work } from './recompute.ts'
import { Rebuilds } from './rebuilds.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { PendingBatches, type PendingHours } from './pending-batches.ts'
import { divideTouched, pickWork, touchedWork } from './work.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

export interface PartitionDeps extends MachineTracksDeps {
  readonly partition: number
  /** How many partitions share the machines. */
  readonly partitions: number
  readonly fence: number
  /** A company's days by the records as they are now; undefined for a company that doesn't exist. */
  readonly calendarOf: (companyRef: CompanyRef) => DayCalendar | undefined
  /** Called when documents of the current hour were written. */
  readonly onCurrent: (tracks: readonly MachineTrack[]) => void
  /** The next offset of the topic of state samples that the partition has yet to take; 0 by default. */
  readonly nextOffset?: number
  /** Called if samples of a machine's hour were skipped because they raise too many conditions. */
  readonly onSkippedSamples?: (machineRef: MachineRef, slotMs: number, samples: number) => void
  /** Called for each sample that is left out because another sample of its key has its number, at another time. */
  readonly onSequenceReused?: ((machineRef: MachineRef, key: string, sequence: number) => void) | undefined
  /** Called when documents were written, before anything tells that they are. */
  readonly onWritten?: (documents: readonly VersionedDocument[]) => void
}

/** Hours that stay in memory before the current one: late samples mostly fall into them. */
const keptHours = 2
/** After a slow hour, a machine waits for this multiple of its duration, so that other machines are computed first. */
const longMs = 200
const restTimes = 9
/**
 * Owner of one partition of state samples: computes documents from its machines' samples. Everything that touches the
 * machines runs one task after the other. A new owner finds unfinished work in the stored documents.
 */
export class Partition {
  readonly #deps: PartitionDeps
  readonly #serial = createSerial()
  readonly #tracks: MachineTracks
  readonly #intake: Intake
  readonly #days: DayDocuments
  readonly #rebuilds = new Rebuilds()
  readonly #pending: PendingBatches
  #written = 0n

  constructor(deps: PartitionDeps) {
    this.#deps = deps
    this.#tracks = new MachineTracks(deps)
    this.#intake = new Intake(this.#tracks, deps)
    this.#pending = new PendingBatches(deps.nextOffset ?? 0)
    this.#days = new DayDocuments({
      ...deps,
      nextVersion: () => this.#nextVersion(),
      tracksOf: companyRef => this.#tracks.of(companyRef),
    })
  }

  get dirtyHours(): number {
    return this.#tracks.dirtyHours
  }

  /** Dirty hours of the time that is under way or just over. */
  get liveDirtyHours(): number {
    return this.#tracks.dirtyHoursFrom(this.#liveFromMs)
  }

  /** Whether there are hours to recompute now; a machine in its back-off has none. */
  get isBusy(): boolean {
    return this.#pickWork() !== null
  }

  /** Machine-hours of the next slice of work; 0: there is nothing to do. */
  get sliceHours(): number {
    const work = this.#pickWork() ?? this.#rebuilds.pick()
    return work ? work.tracks.length * ((work.toMs - work.fromMs) / hourMs) : 0
  }

  /** The next offset of the topic of state samples to take; what is left of those before is dirty. */
  get nextOffset(): number {
    return this.#pending.nextOffset
  }

  /** Every state sample before this offset is in the documents: so far may be committed. */
  get doneOffset(): number {
    return this.#pending.doneOffset()
  }

  /** Every state sample before this offset is in the documents, as far as its hour is under way or just over. */
  get liveOffset(): number {
    return this.#pending.doneOffset(this.#liveFromMs)
  }

  /** The hour before the one that is under way. */
  get #liveFromMs(): number {
    return slotOf(this.#deps.clock()) - hourMs
  }

  /** Days of machines that reports read from hours until they are rebuilt. */
  get staleDays(): number {
    return this.#days.staleDays
  }

  /** Rebuilds that were begun here and not yet ended. */
  get rebuilds(): readonly RebuildProgress[] {
    return this.#rebuilds.progress
  }

  get tracks(): Iterable<MachineTrack> {
    return this.#tracks.all()
  }

  /**
   * Reads the stored state of the machines, and marks their dirty hours. `companies`: all companies; for those without
   * a machine in the partition, coverage must be stored too.
   */
  async takeOver(
    machines: readonly MachineRecord[],
    companyOf: (machine: MachineRecord) => CompanyRef,
    companies: readonly CompanyRef[],
  ): Promise<void> {
    await this.#serial(async () => {
      for (const [companyRef, ofCompany] of groupBy(machines, companyOf)) {
        const refs = ofCompany.map(({ ref }) => ref)
        await this.#tracks.takeOver(companyRef, refs)
      }
      await this.#days.takeOver(companies)
    })
  }

  /** Adds a machine that exists from now on; its hours up to now are made in the background. */
  addMachine(machineRef: MachineRef): void {
    this.#tracks.add(machineRef)
  }

  /**
   * Consumes a batch of state samples that ends before `nextOffset` of their topic. Resolves when the samples and the documents of
   * their hours are stored. Later hours, and hours of a machine that would delay other machines, are marked as dirty and computed by
   * `work`; `doneOffset` is the offset up to which all documents are stored.
   */
  async take(
    messages: readonly StateSamplesMessage[],
    nextOffset = this.#pending.nextOffset + messages.length,
  ): Promise<void> {
    await this.#serial(async () => {
      for (const machineRef of machinesOfMessages(messages)) this.addMachine(machineRef)
      const touched = await this.#intake.take(messages)
      const nowMs = this.#deps.clock()
      const { now, later } = divideTouched(touched, slotOf(nowMs) - keptHours * hourMs)
      for (const work of touchedWork(now, nowMs)) await this.#recompute(work)
      this.#pending.add(nextOffset, stillDirty(later))
    })
  }

  /** The records that machines' documents are made from have changed, or what is known of a company. */
  async recordsChanged(
    affected: readonly Omit<AffectedHours, 'what'>[],
    companyRef: CompanyRef | null = null,
  ): Promise<void> {
    await this.#serial(async () => {
      if (companyRef !== null) this.#days.companyChanged(companyRef)
      for (const each of affected) this.#tracks.inputsChanged(each)
    })
  }

  /**
   * Starts to recompute every hour of the machines, of one company or of all (null), unless it is already in progress.
   */
  async startRebuild(id: string, companyRef: CompanyRef | null): Promise<void> {
    await this.#serial(async () => {
      if (this.#rebuilds.has(id)) return
      const tracks = this.#tracks.of(companyRef)
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
    return pickWork(this.#tracks.all(), this.#liveFromMs, performance.now())
  }

  async #rebuildSlice(): Promise<void> {
    const slice = this.#rebuilds.pick()
    if (!slice) return
    this.#rebuilds.made(await this.#recompute(slice))
  }

  /**
   * Builds day documents for about one time slice, if no hour is pending; returns what it built, null if there was
   * nothing to do. State samples are consumed during the statement.
   */
  async workOnDays(): Promise<DayTask | null> {
    const task = await this.#serial(async () => (this.isBusy ? null : this.#days.pick()))
    if (!task) return null
    const tookMs = await this.#deps.store.buildDays(task.companyRef, task.machines, task.days, task.version)
    await this.#serial(() => this.#days.made(task, tookMs))
    return task
  }

  /** Marks the hours that the passing of time asks for. Call it every second. */
  async tick(): Promise<void> {
    await this.#serial(async () => {
      const nowMs = this.#deps.clock()
      for (const track of this.#tracks.all()) {
        markPassingTime(track, nowMs)
        forgetBefore(track, slotOf(nowMs) - keptHours * hourMs)
      }
      await Promise.resolve()
    })
  }

  /** Resolves to the work as it was done. */
  async #recompute(asked: Work): Promise<Work> {
    const { store, clock } = this.#deps
    const current = slotOf(clock())
    const begunMs = performance.now()
    const work = await recompute(asked, {
      store,
      nextVersion: () => this.#nextVersion(),
      keepFromMs: current - keptHours * hourMs,
      beforeWrite: documents => this.#days.beforeWrite(documents),
      onSkippedSamples: (track, slotMs, samples) => this.#deps.onSkippedSamples?.(track.machineRef, slotMs, samples),
      onWritten: this.#deps.onWritten,
    })
    this.#pending.made(work.tracks)
    const tookMs = performance.now() - begunMs
    for (const track of work.tracks)
      if (tookMs > longMs && isHeavy(track)) track.restsUntilMs = performance.now() + restTimes * tookMs
    if (work.fromMs <= current && current < work.toMs) this.#deps.onCurrent(work.tracks)
    return work
  }

  #nextVersion(): bigint {
    return (BigInt(this.#deps.fence) << 40n) | this.#written++
  }
}

/** The hours that are dirty now; future hours become dirty when they begin. */
function stillDirty(hours: PendingHours): PendingHours {
  return new Map(
    [...hours]
      .map(([track, slots]) => [track, new Set([...slots].filter(slotMs => track.dirty.has(slotMs)))] as const)
      .filter(([, slots]) => slots.size > 0),
  )
}
