import { hourMs, slotOf } from '../../shared/time/units.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { StateSamplesMessage } from '../../schema/topics.ts'
import type { HourDocument } from '../../schema/document.ts'
import type { VersionedDocument } from '../../schema/document-store.ts'
import type { AffectedHours } from '../records/affected.ts'
import { DayDocuments } from './day-documents.ts'
import type { DayTask } from './day-task.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { Intake, type IntakeDeps } from './intake.ts'
import { deriveLiveStarts, pickLiveStarts, shortBacklogHours, type LiveStarts } from './live-start.ts'
import {
  extendBack,
  firstWindowHours,
  forgetBefore,
  isBehind,
  isHeavy,
  isLiveUncertain,
  setOutdated,
  type MachineTrack,
} from './machine-track.ts'
import { MachineTracks, type MachineTracksDeps } from './machine-tracks.ts'
import { markPassingTime } from './passing-time.ts'
import type { DayDeps } from './partition-coverage.ts'
import { recompute, type RecomputeDeps, type Work } from './recompute.ts'
import { Rebuilds } from './rebuilds.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { PendingBatches, type PendingHours } from './pending-batches.ts'
import { computedNow, pickWork, touchedWork, tracksBefore, type TouchedHours } from './work.ts'
import type { CompanyRef } from '../../schema/refs.ts'

export interface PartitionDeps
  extends
    MachineTracksDeps,
    IntakeDeps,
    Pick<DayDeps, 'partition' | 'partitions' | 'calendarOf'>,
    Pick<RecomputeDeps, 'onSkippedSamples' | 'onWritten'> {
  readonly fence: number
  /** Called with documents as they are in the store. */
  readonly onStored?: (documents: readonly HourDocument[]) => void
  /** Whether subscribers wait for documents: those of hours in memory are then stored beside the samples of their batch. Default: no. */
  readonly isWatched?: () => boolean
  /** Called when documents of the current hour were written. */
  readonly onCurrent: (tracks: readonly MachineTrack[]) => void
  /** The first offset of the topic of state samples that the partition consumes; 0 by default. */
  readonly nextOffset?: number
}

/** Hours that stay in memory before the current one: late samples mostly fall into them. */
const keptHours = 2
/** After a slow hour, a machine waits for this multiple of its duration, so that other machines are computed first. */
const slowMs = 200
const backOffFactor = 9

/**
 * Owner of one partition of state samples: computes documents from its machines' samples. Everything that touches the
 * machines runs one task after the other. A new owner finds unfinished work in the stored documents.
 */
export class Partition {
  readonly tracks: MachineTracks
  readonly days: DayDocuments
  readonly rebuilds = new Rebuilds()
  readonly batches: PendingBatches
  readonly #deps: PartitionDeps
  readonly #serial = createSerial()
  readonly #intake: Intake
  readonly #recomputing: RecomputeDeps
  #written = 0n
  /** The first live hour of the last tick, UTC ms. */
  #tickedLiveFromMs = -Infinity

  constructor(deps: PartitionDeps) {
    this.#deps = deps
    const nextVersion = () => (BigInt(deps.fence) << 40n) | this.#written++
    this.tracks = new MachineTracks(deps)
    this.batches = new PendingBatches(deps.nextOffset ?? 0)
    this.days = new DayDocuments({ ...deps, nextVersion, tracksOf: companyRef => this.tracks.of(companyRef) })
    this.#intake = new Intake(this.tracks, deps)
    const onWritten = (documents: readonly VersionedDocument[]) => {
      deps.onStored?.(documents)
      deps.onWritten?.(documents.map(document => withoutOpenAlarms(document, this.tracks.get(document.machineRef))))
    }
    this.#recomputing = { ...deps, onWritten, days: this.days, nextVersion }
  }

  /** Dirty hours of the time that is in progress or just over, and machines whose live hours may lack samples or records. */
  get liveDirtyHours(): number {
    const liveFromMs = this.#liveFromMs
    let uncertain = 0
    for (const track of this.tracks.all()) if (isLiveUncertain(track, liveFromMs)) uncertain++
    return this.tracks.dirtyHoursFrom(liveFromMs) + uncertain
  }

  /** Time of the oldest change of records or of older hours that the live hours lack, UTC ms; null if there is none. */
  get liveSinceMs(): number | null {
    let sinceMs = Infinity
    for (const track of this.tracks.all())
      if (track.liveSinceMs !== null && this.#lacksChanges(track)) sinceMs = Math.min(sinceMs, track.liveSinceMs)
    return sinceMs === Infinity ? null : sinceMs
  }

  /** Whether the live hours of a machine lack samples or records. */
  #lacksChanges(track: MachineTrack): boolean {
    const liveFromMs = this.#liveFromMs
    return isLiveUncertain(track, liveFromMs) || track.dirty.overlaps(liveFromMs, slotOf(this.#deps.clock()) + hourMs)
  }

  /** Whether there are hours to recompute now; a machine in its back-off has none. */
  get isBusy(): boolean {
    const { starts, work } = this.#pick()
    return starts !== null || work !== null
  }

  /** Whether live hours, or their start states, are to be computed now. */
  get hasLiveWork(): boolean {
    const { starts, work } = this.#pick()
    return starts !== null || (work !== null && work.fromMs >= this.#liveFromMs)
  }

  /** Machine-hours of the next slice of work; 0: there is nothing to do. */
  get sliceHours(): number {
    const { starts, work } = this.#pick()
    if (starts) return starts.tracks.length * starts.windowHours
    const next = work ?? this.rebuilds.pick()
    return next ? next.tracks.length * ((next.toMs - next.fromMs) / hourMs) : 0
  }

  /** Every state sample before this offset is in the documents of the hours that are in progress or just over. */
  get liveOffset(): number {
    return this.batches.liveOffset(this.#liveFromMs)
  }

  /** Whether start states of live hours are derived, and older hours are computed in the background. */
  get #hasBacklog(): boolean {
    return this.tracks.dirtyHours > shortBacklogHours
  }

  /** The hour before the current one. */
  get #liveFromMs(): number {
    return slotOf(this.#deps.clock()) - hourMs
  }

  /** The first hour that stays in memory. */
  get #keepFromMs(): number {
    return slotOf(this.#deps.clock()) - keptHours * hourMs
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
        await this.tracks.takeOver(companyRef, refs)
      }
      await this.days.takeOver(companies)
      this.#historyChanged(this.tracks.all())
    })
  }

  /**
   * Consumes a batch of state samples that ends before `nextOffset` of their topic. Resolves when the samples and the documents of
   * their hours are stored. Later hours, and hours of a machine that would delay other machines, are marked as dirty and computed by
   * `work`; `batches.doneOffset()` is the offset up to which all documents are stored.
   */
  async consume(
    messages: readonly StateSamplesMessage[],
    nextOffset = this.batches.nextOffset + messages.length,
  ): Promise<void> {
    await this.#serial(async () => {
      const hasBacklog = this.#hasBacklog
      const { touched, stored } = await this.#intake.consume(messages)
      if (this.#deps.isWatched?.() !== true) await stored
      const now = hasBacklog ? this.#computedInBacklog(touched) : computedNow(touched, this.#keepFromMs)
      for (const work of touchedWork(now, this.#deps.clock())) await this.#recompute(work, stored)
      await stored
      this.#historyChanged(tracksBefore(touched, this.#liveFromMs))
      this.batches.add(nextOffset, stillDirty(touched))
    })
  }

  /** Returns the recent hours of a batch; those with an outdated start are computed when the start is derived. */
  #computedInBacklog(touched: TouchedHours): TouchedHours {
    this.#historyChanged(tracksBefore(touched, this.#liveFromMs))
    const current = [...touched].filter(([{ liveness }]) => liveness !== 'outdated')
    return computedNow(new Map(current), this.#keepFromMs, 0)
  }

  /** Applies changed records of machines; `companyRef`: a company that is new or changed. */
  async recordsChanged(
    affected: readonly Omit<AffectedHours, 'what'>[],
    companyRef: CompanyRef | null = null,
  ): Promise<void> {
    await this.#serial(async () => {
      if (companyRef !== null) this.days.coverage.recheck(companyRef)
      for (const each of affected) this.tracks.inputsChanged(each)
      const changed = affected.map(({ machineRef }) => this.tracks.get(machineRef))
      this.#historyChanged(changed.filter(track => track !== undefined))
    })
  }

  /** Starts to recompute every hour of the machines, of one company or of all (null), unless it is in progress. */
  async startRebuild(id: string, companyRef: CompanyRef | null): Promise<void> {
    await this.#serial(async () => {
      if (this.rebuilds.has(id)) return
      const tracks = this.tracks.of(companyRef)
      for (const [ofCompany, group] of groupBy(tracks, track => track.companyRef)) {
        const machines = group.map(({ machineRef }) => machineRef)
        const firstSeen = await this.#deps.store.readFirstSeen(ofCompany, machines)
        for (const track of group) extendBack(track, slotOf(firstSeen.get(track.machineRef) ?? Infinity))
      }
      this.rebuilds.start(id, tracks)
    })
  }

  /** Recomputes hours for about one slice of work, dirty ones before those of a rebuild; returns whether any are left. */
  async work(): Promise<boolean> {
    return this.#serial(async () => {
      const { starts, work } = this.#pick()
      const rebuilt = starts || work ? null : this.rebuilds.pick()
      if (starts) await this.#derive(starts)
      else if (work) await this.#recompute(work)
      else if (rebuilt) this.rebuilds.removeHours(await this.#recompute(rebuilt))
      return this.isBusy || this.rebuilds.pick() !== null
    })
  }

  /** Returns the next slice of dirty hours; `starts` precede it, because new samples would delay them for ever. */
  #pick(): { readonly starts: LiveStarts | null; readonly work: Work | null } {
    const liveFromMs = this.#liveFromMs
    const work = pickWork(this.tracks.all(), liveFromMs, performance.now())
    return { starts: this.#hasBacklog ? pickLiveStarts(this.tracks.all(), liveFromMs) : null, work }
  }

  /** Derives starts and computes the live hours from them: the next batch may outdate the starts before another slice. */
  async #derive(starts: LiveStarts): Promise<void> {
    const liveFromMs = this.#liveFromMs
    await deriveLiveStarts(starts, liveFromMs, this.#deps)
    this.#clearLiveSince(starts.tracks)
    const work = pickWork(starts.tracks, liveFromMs, performance.now())
    if (work && work.fromMs >= liveFromMs) await this.#recompute(work)
  }

  /** Marks machines whose samples or records changed: a dirty hour before the live hours may change their start. */
  #historyChanged(tracks: Iterable<MachineTrack>): void {
    const liveFromMs = this.#liveFromMs
    for (const track of tracks) {
      if (isBehind(track, liveFromMs)) setOutdated(track)
      if (this.#lacksChanges(track)) track.liveSinceMs ??= this.#deps.clock()
    }
  }

  #clearLiveSince(tracks: Iterable<MachineTrack>): void {
    for (const track of tracks) if (!this.#lacksChanges(track)) track.liveSinceMs = null
  }

  /**
   * Builds day documents for about one time slice, if no hour is pending; returns what it built, null if there was
   * nothing to do. State samples are consumed during the statement.
   */
  async workOnDays(): Promise<DayTask | null> {
    const task = await this.#serial(async () => (this.isBusy ? null : this.days.pick()))
    if (!task) return null
    const tookMs = await this.#deps.store.buildDays(task.companyRef, task.machines, task.days, task.version)
    await this.#serial(() => this.days.complete(task, tookMs))
    return task
  }

  /** Marks the hours that begin or go stale with time. Call it every second. */
  async tick(): Promise<void> {
    await this.#serial(async () => {
      for (const track of this.tracks.all()) {
        markPassingTime(track, this.#deps.clock())
        forgetBefore(track, this.#keepFromMs)
      }
      this.#moveLiveHours()
      await Promise.resolve()
    })
  }

  /** Another hour is the first live one: its start is derived if a previous hour is dirty. */
  #moveLiveHours(): void {
    if (this.#liveFromMs === this.#tickedLiveFromMs) return
    this.#tickedLiveFromMs = this.#liveFromMs
    for (const track of this.tracks.all()) track.windowHours = firstWindowHours
    this.#historyChanged(this.tracks.all())
  }

  /** Resolves to the completed work. */
  async #recompute(requested: Work, stored?: Promise<void>): Promise<Work> {
    const currentMs = slotOf(this.#deps.clock())
    const startedMs = performance.now()
    const work = await recompute(requested, this.#keepFromMs, this.#recomputing, stored)
    this.batches.removeComputed(work.tracks)
    this.#clearLiveSince(work.tracks)
    const nowMs = performance.now()
    const tookMs = nowMs - startedMs
    for (const track of work.tracks)
      if (tookMs > slowMs && isHeavy(track)) track.backOffUntilMs = nowMs + backOffFactor * tookMs
    if (work.fromMs <= currentMs && currentMs < work.toMs) this.#deps.onCurrent(work.tracks)
    return work
  }
}

/**
 * Returns the document without alarms that were active at a derived start: their start may change until the hours before are computed, and
 * then the hour in which they start is written.
 */
function withoutOpenAlarms(document: VersionedDocument, track: MachineTrack | undefined): VersionedDocument {
  const startMs = track?.liveStart?.slotMs ?? Infinity
  if (!track || document.slotMs < startMs || !isBehind(track, startMs)) return document
  return { ...document, alarms: document.alarms.filter(alarm => alarm.startMs >= startMs) }
}

/** The hours that are dirty now; future hours become dirty when they begin. */
function stillDirty(hours: PendingHours): PendingHours {
  return new Map(
    [...hours]
      .map(([track, slots]) => [track, new Set([...slots].filter(slotMs => track.dirty.has(slotMs)))] as const)
      .filter(([, slots]) => slots.size > 0),
  )
}
