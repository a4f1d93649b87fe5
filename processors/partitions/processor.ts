import type { Problems } from '../../shared/problems.ts'
import { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import type { Logger } from 'pino'
import type { Batch, Consumer, Log } from '../../log/log.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { CompanySettings } from '../../schema/records/company.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { stateSamplesPartition, groups, topics, type StateSamplesMessage, type Progress } from '../../schema/topics.ts'
import { AlarmIdRequester } from '../alarms/alarm-id-requester.ts'
import type { AlarmIdStore } from '../../schema/alarm-instance.ts'
import type { Calendar } from '../calendar/types.ts'
import type { Records } from '../records/records.ts'
import type { CommandClient } from '../registrar/client.ts'
import { joinSignals } from '../../shared/async/join-signals.ts'
import { deferred } from '../../shared/async/deferred.ts'
import type { Lifecycle } from '../../shared/async/lifecycle.ts'
import { aborted } from '../../shared/async/waiting.ts'
import type { MachineInputs } from '../timeline/types.ts'
import { claimPartition } from './claim.ts'
import { ChangePublisher } from './change-publisher.ts'
import type { DayCalendar } from './company-days.ts'
import { createStatusPublisher, type StatusPublisher } from './live-status.ts'
import type { OwnedPartition } from './owned-partition.ts'
import { machinesOfMessages, takenOf } from './intake.ts'
import type { Pace } from './pace.ts'
import { Partition } from './partition.ts'
import type { DocumentStore } from '../../schema/document-store.ts'
import { ProgressReporter } from './progress-reporter.ts'
import { PendingPromotions } from './promotions.ts'
import { RebuildCoordinator } from './rebuild-coordinator.ts'
import { ChangeQueue, PastChanges, readChange, type RecordChange } from './record-changes.ts'
import { Scheduler } from './scheduler.ts'
import { type CompanyRef, type MachineRef, noCompany } from '../../schema/refs.ts'

export interface ProcessorDeps {
  readonly log: Log
  readonly store: DocumentStore
  readonly alarmIds: AlarmIdStore
  readonly records: Records
  /** Resolves when `records` hold all that the log holds now. */
  readonly catchUpRecords: () => Promise<void>
  readonly commands: CommandClient
  readonly inputsOf: (machine: MachineRecord) => MachineInputs
  /** The calendar of machines without a schedule. */
  readonly calendarOf: (settings: CompanySettings, schedule: null) => Calendar
  /** Called if samples of a machine's hour were skipped because they raise too many conditions. */
  readonly onPassedOver?: (machineRef: MachineRef, slotMs: number, samples: number) => void
  /** Called for each sample that is left out because another sample of its key has its number, at another time. */
  readonly onSequenceReused?: (machineRef: MachineRef, key: string, sequence: number) => void
  readonly clock: () => number
  readonly logger: Logger
  /** Where work that fails repeatedly is reported. */
  readonly problems?: Problems
  /** Schedules the batches; without it, they follow immediately. */
  readonly pace?: Pace
  /** Names this process in its claims. */
  readonly owner: string
}

/** Offsets of records that partitions have stored are read this often: changes before them are forgotten. */
const forgetEveryMs = 60_000
/** Changes of records that follow each other this closely are worked in together: an insert of documents costs as much for one as for many. */
const burstMs = 250

/**
 * The process role: consumes state samples by partition and keeps every machine's documents right. Create it before the records are
 * followed, so that it sees every change.
 */
export class Processor implements Lifecycle {
  readonly #deps: ProcessorDeps
  readonly #owned = new Map<number, OwnedPartition>()
  readonly #past = new PastChanges()
  readonly #status: StatusPublisher
  readonly #published: ChangePublisher
  readonly #alarmIds: AlarmIdRequester
  readonly #rebuilds: RebuildCoordinator
  readonly #progress: ProgressReporter
  readonly #scheduler: Scheduler
  readonly #stopping = new AbortController()
  readonly #joined = deferred<void>()
  #consumer: Consumer | null = null
  #partitions = 0
  #samplesPartitions = 0
  #isRunning = false
  #assigning = 0
  #forgotAtMs = -Infinity
  #changedAtMs = -Infinity
  /** Whether changes of records come one after the other. */
  #isBurst = false

  constructor(deps: ProcessorDeps) {
    this.#deps = deps
    this.#status = createStatusPublisher(deps)
    this.#published = new ChangePublisher(deps.log, deps.logger, this.#stopping.signal)
    this.#alarmIds = new AlarmIdRequester({
      ...deps,
      store: deps.alarmIds,
      isBusy: () => this.#isBusy(),
      onAssigned: machines => this.#published.tell('alarmIds', machines),
    })
    this.#progress = new ProgressReporter({ ...deps, alarmIds: this.#alarmIds, owned: this.#owned })
    this.#scheduler = new Scheduler({
      owned: () => this.#owned.values(),
      promote: owned => this.#promote(owned),
      onIdle: () => this.#progress.report(),
      onTick: () => this.#tick(),
      logger: deps.logger,
    })
    this.#rebuilds = new RebuildCoordinator({
      ...deps,
      works: () => [...this.#owned].map(([partition, owned]) => [partition, owned.partition] as const),
      partitions: () => this.#partitions,
      dirtyHours: partition => this.#progress.dirtyHours(partition),
      wake: () => this.#scheduler.wake(),
    })
    deps.records.onChange((change, offset) => this.#changed(change, offset))
  }

  /**
   * Reads which changes every partition has processed, so that they are skipped when the records are followed. If log
   * or store are empty or unavailable, all changes are kept until `run` reads it.
   */
  async prepare(): Promise<void> {
    try {
      this.#partitions = await this.#deps.log.partitionCount(topics.stateSamples)
      await this.#forgetStored()
    } catch (error) {
      this.#deps.logger.debug({ err: error }, 'Failed to read the progress of the partitions')
    }
  }

  /** Resolves once `run` has joined the group and has its first partitions. */
  get joined(): Promise<void> {
    return this.#joined.promise
  }

  async run(): Promise<void> {
    const { log } = this.#deps
    this.#isRunning = true
    this.#partitions = await log.partitionCount(topics.stateSamples)
    this.#samplesPartitions = await log.partitionCount(topics.samples)
    this.#consumer = await log.consume({
      topic: topics.stateSamples,
      group: groups.process,
      onAssigned: async partitions => {
        await Promise.all(partitions.map(partition => this.#assign(partition)))
      },
      onRevoked: async partitions => this.#release(partitions),
      onBatch: batch => this.#take(batch),
    })
    this.#scheduler.start()
    this.#joined.resolve()
    await aborted(this.#stopping.signal)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#deps.pace?.end()
    await this.#scheduler.stop()
    await this.#consumer?.stop()
    this.#release([...this.#owned.keys()])
    await this.#alarmIds.stop()
  }

  #release(partitions: readonly number[]): void {
    for (const partition of partitions) {
      const owned = this.#owned.get(partition)
      if (owned) this.#letGo(owned)
      this.#alarmIds.release(partition)
    }
  }

  #letGo(owned: OwnedPartition): void {
    owned.released.abort()
    owned.documentsFailure.ended()
    owned.changesFailure.ended()
    this.#status.forget(owned.partition.tracks)
    if (this.#owned.get(owned.number) === owned) this.#owned.delete(owned.number)
  }

  async #assign(number: number): Promise<void> {
    this.#assigning++
    try {
      await this.#takeOver(number)
    } finally {
      this.#assigning--
    }
  }

  async #takeOver(number: number): Promise<void> {
    const { store, records } = this.#deps
    const fence = await claimPartition(number, { ...this.#deps, signal: this.#stopping.signal })
    const stored = (await store.readRecordsOffset(number)) ?? -1
    const begunAt = records.offset
    const owned = await this.#createOwned(number, fence, stored)
    try {
      await this.#begin(owned, { stored, begunAt })
    } catch (error) {
      // It is retried with another claim.
      this.#letGo(owned)
      throw error
    }
    this.#scheduler.wake()
  }

  async #begin(owned: OwnedPartition, { stored, begunAt }: { stored: number; begunAt: number }): Promise<void> {
    const { records, logger } = this.#deps
    const { number, fence } = owned
    const machines = [...records.allMachines()].filter(({ ref }) => this.#isIn(number, ref))
    const companyOf = (machine: MachineRecord) => records.company(machine.companyId)?.ref ?? noCompany
    await this.#alarmIds.takeOver(number, [...new Set(machines.map(companyOf))])
    const companies = records.companies().map(({ ref }) => ref)
    await owned.partition.takeOver(machines, companyOf, companies)
    this.#owned.set(number, owned)
    // Hours follow from what the former owner stored. Calendars of days are this process's own, read since the take-over began.
    owned.changes.add(this.#past.after(Math.min(stored, begunAt)).map(change => seenBy(change, stored)))
    await this.#rebuilds.takeOver(number, owned.partition)
    logger.info(
      { partition: number, fence, machines: machines.length, dirtyHours: owned.partition.dirtyHours },
      'partition of state samples taken over',
    )
  }

  async #createOwned(number: number, fence: number, stored: number): Promise<OwnedPartition> {
    const { store, records, clock, logger, log, problems } = this.#deps
    const changesFailure = new RepeatedFailure(problems, `changes of ${number}`)
    const committedOffset = (await log.committed(groups.process, topics.stateSamples))[number] ?? 0
    const released = new AbortController()
    const owned: OwnedPartition = {
      number,
      partition: new Partition({
        partition: number,
        partitions: this.#partitions,
        fence,
        store,
        clock,
        nextOffset: committedOffset,
        inputsOf: machineRef => this.#inputsOf(machineRef),
        calendarOf: companyRef => this.#calendarOf(companyRef),
        // Work that was under way ends after the release; the next owner's status may be newer.
        onCurrent: tracks => {
          if (!released.signal.aborted) this.#status.computed(tracks)
        },
        onPassedOver: (...passed) => this.#deps.onPassedOver?.(...passed),
        onSequenceReused: (...reused) => this.#deps.onSequenceReused?.(...reused),
        onWritten: documents => {
          this.#alarmIds.add(number, documents)
          this.#published.tell(
            'documents',
            documents.map(({ machineRef }) => machineRef),
          )
        },
      }),
      promotions: new PendingPromotions(this.#samplesPartitions),
      documentsFailure: new RepeatedFailure(problems, `documents of ${number}`),
      changesFailure,
      changes: new ChangeQueue({
        failure: changesFailure,
        hand: change => this.#hand(owned, change),
        logger,
        signal: joinSignals(released.signal, this.#stopping.signal).signal,
      }),
      fence,
      committedOffset,
      storedRecordsOffset: stored,
      recordsOffset: records.offset,
      released,
      isTaking: false,
    }
    return owned
  }

  #isBusy(): boolean {
    return [...this.#owned.values()].some(({ partition }) => partition.isBusy)
  }

  #inputsOf(machineRef: MachineRef): MachineInputs | undefined {
    const record = this.#deps.records.machineByRef(machineRef)
    return record ? this.#deps.inputsOf(record) : undefined
  }

  #calendarOf(companyRef: CompanyRef): DayCalendar | undefined {
    const settings = this.#deps.records.companyByRef(companyRef)?.settings
    if (!settings) return undefined
    return {
      bounds: `${settings.timeZone} ${settings.startOfDay}`,
      calendar: this.#deps.calendarOf(settings, null),
    }
  }

  #isIn(partition: number, machineRef: MachineRef): boolean {
    return stateSamplesPartition(machineRef, this.#partitions) === partition
  }

  async #take({ partition, records: batch }: Batch): Promise<void> {
    const owned = this.#owned.get(partition)
    if (!owned) return
    owned.isTaking = true
    try {
      await this.#takeAndRest(owned, batch)
    } finally {
      owned.isTaking = false
    }
  }

  async #takeAndRest(owned: OwnedPartition, batch: Batch['records']): Promise<void> {
    const beganMs = performance.now()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only ingest writes the topic
    const messages = batch.map(({ value }) => JSON.parse(value.toString()) as StateSamplesMessage)
    await this.#knowMachines(messages)
    await owned.partition.take(messages, (batch.at(-1)?.offset ?? -1) + 1)
    for (const { marker } of messages) if (marker) owned.promotions.mark(marker.samplesPartition, marker.recordsOffset)
    await this.#commit(owned)
    this.#scheduler.wake()
    const holdOthers = () => this.#holdIdle()
    await this.#deps.pace?.rest(takenOf(messages, batch), owned.released.signal, { beganMs, holdOthers })
  }

  /** Keeps partitions that have nothing to take from taking before all do; returns what lets them take again. */
  #holdIdle(): () => void {
    const held = [...this.#owned.values()].filter(({ isTaking }) => !isTaking).map(({ number }) => number)
    for (const number of held) this.#consumer?.pause(number)
    return () => {
      for (const number of held) this.#consumer?.resume(number)
    }
  }

  /** Commits as far as every document is made. */
  async #commit(owned: OwnedPartition): Promise<void> {
    const { doneOffset } = owned.partition
    if (doneOffset <= owned.committedOffset || owned.released.signal.aborted) return
    await this.#consumer?.commit(owned.number, doneOffset)
    owned.committedOffset = Math.max(owned.committedOffset, doneOffset)
  }

  /** A fact may speak of a machine whose record this process has yet to follow. */
  async #knowMachines(messages: readonly StateSamplesMessage[]): Promise<void> {
    const { records, catchUpRecords } = this.#deps
    if ([...machinesOfMessages(messages)].every(machineRef => records.machineByRef(machineRef))) return
    await catchUpRecords()
  }

  #changed(change: Change, offset: number): void {
    if (change.kind === 'rebuild') return this.#rebuilds.start(change.after)
    if (!this.#isRunning && this.#past.isForgotten(offset)) return
    const read = readChange(change, offset, this.#deps.records)
    if (!read) return
    const nowMs = performance.now()
    this.#isBurst = nowMs - this.#changedAtMs < burstMs
    this.#changedAtMs = nowMs
    // Also for partitions that are just being taken over: they may have looked at the company before.
    this.#past.add(read)
    for (const { changes } of this.#owned.values()) changes.add([read])
  }

  async #hand(owned: OwnedPartition, { offset, affected, promotions, companyRef }: RecordChange): Promise<void> {
    const ofPartition = affected.filter(({ machineRef }) => this.#isIn(owned.number, machineRef))
    await owned.partition.recordsChanged(ofPartition, companyRef)
    owned.promotions.add(promotions.filter(({ machineRef }) => this.#isIn(owned.number, machineRef)))
    owned.recordsOffset = Math.max(owned.recordsOffset, offset)
    if (this.#isBurst) this.#scheduler.wakeSoon()
    else this.#scheduler.wake()
  }

  async #promote(owned: OwnedPartition): Promise<void> {
    for (const promotion of owned.promotions.ready()) {
      const record = this.#deps.records.machineByRef(promotion.machineRef)
      const company = record && this.#deps.records.company(record.companyId)
      if (company) await this.#deps.store.promoteKey(company.ref, promotion.machineRef, promotion.key)
      await owned.partition.recordsChanged([{ machineRef: promotion.machineRef, fromMs: 0, toMs: null }])
      owned.promotions.done(promotion)
    }
  }

  async #tick(): Promise<void> {
    for (const owned of this.#owned.values()) {
      await owned.partition.tick()
      if (!owned.released.signal.aborted) this.#status.refresh(owned.partition.tracks)
      await this.#commit(owned)
    }
    await this.#alarmIds.tick()
    await this.#rebuilds.tick()
    await this.#progress.report(true)
    if (performance.now() - this.#forgotAtMs >= forgetEveryMs) await this.#forgetStored()
  }

  /** Forgets the changes of records that no partition needs any more when it is taken over. */
  async #forgetStored(): Promise<void> {
    if (this.#assigning > 0) return
    this.#forgotAtMs = performance.now()
    const stored = await this.#deps.store.readRecordsOffsets()
    // A partition that is just being taken over may need them.
    if (this.#assigning === 0) this.#past.forgetStored(stored, this.#partitions)
  }

  /** How many changes of records are kept for partitions that may be taken over. */
  get keptChanges(): number {
    return this.#past.size
  }

  /** How far each owned partition is. */
  progress(): readonly Progress[] {
    return this.#progress.progress()
  }
}

/** A change as a partition sees it that has all up to `stored` in its documents. */
function seenBy(change: RecordChange, stored: number): RecordChange {
  return change.offset > stored ? change : { ...change, affected: [], promotions: [] }
}
