import type { Problems } from '../../shared/problems.ts'
import type { Logger } from 'pino'
import type { AlarmIdStore } from '../../schema/alarm-instance.ts'
import type { HourDocument } from '../../schema/document.ts'
import type { DocumentStore } from '../../schema/document-store.ts'
import type { CompanySettings } from '../../schema/records/company.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { ActivityMinute } from '../../schema/sample.ts'
import { groups, type StateSamplesMessage, topics } from '../../schema/topics.ts'
import type { Batch, Consumer, Log } from '../../log/log.ts'
import { deferred } from '../../shared/async/deferred.ts'
import type { Lifecycle } from '../../shared/async/lifecycle.ts'
import { aborted } from '../../shared/async/waiting.ts'
import { AlarmIdRequester } from '../alarms/alarm-id-requester.ts'
import type { Calendar } from '../calendar/types.ts'
import type { MachineInputCache } from '../records/machine-input-cache.ts'
import type { RecordHistory } from '../records/record-history.ts'
import type { Records } from '../records/records.ts'
import type { CommandClient } from '../registrar/client.ts'
import { Assignment } from './assignment.ts'
import type { BatchScheduler } from './batch-scheduler.ts'
import { ChangePublisher } from './change-publisher.ts'
import type { BatchSize } from './flush-policy.ts'
import { machinesOfMessages } from './intake.ts'
import { StatusPublisher } from './live-status.ts'
import type { LiveProgress, OwnedPartition } from './owned-partition.ts'
import type { PartitionDeps } from './partition.ts'
import { ProgressReporter } from './progress-reporter.ts'
import { RebuildCoordinator } from './rebuild-coordinator.ts'
import { RecordIntake } from './record-intake.ts'
import { WorkScheduler } from './work-scheduler.ts'

export interface ProcessorDeps extends Pick<PartitionDeps, 'onSkippedSamples' | 'onSequenceReused' | 'clock'> {
  readonly log: Log
  readonly store: DocumentStore
  readonly alarmIds: AlarmIdStore
  readonly records: Records
  readonly history: RecordHistory
  /** Resolves when `records` contain every change that was answered before the call. */
  readonly catchUpRecords: () => Promise<void>
  readonly commands: CommandClient
  readonly machineInputs: Pick<MachineInputCache, 'parametersOf' | 'read'>
  /** The calendar of machines without a schedule. */
  readonly calendarOf: (settings: CompanySettings, schedule: null) => Calendar
  readonly logger: Logger
  /** Receives the failures of repeated work. */
  readonly problems?: Problems
  /** Schedules the batches; without it, they follow immediately. */
  readonly batchScheduler?: BatchScheduler
  readonly owner: string
  /** Whether callers wait for reads of derived data: work on history makes room for them. */
  readonly isReading?: () => boolean
  /** Called with the minutes in which machines of a partition sent samples, without heartbeats, before they are processed. */
  readonly onSeen?: (partition: number, minutes: readonly ActivityMinute[]) => void
  /** Called when documents are in the store. */
  readonly onDocuments?: (documents: readonly HourDocument[]) => void
  /** Called when a batch of state samples is in the documents. */
  readonly onConsumed?: () => void
  /** Called before partitions are released; the next owner waits until it has resolved. */
  readonly onReleasing?: (partitions: readonly number[]) => Promise<void>
}

/**
 * The process role: consumes state samples by partition, and computes the documents of every machine. Create it before the records
 * are followed, so that it receives every change.
 */
export class Processor implements Lifecycle {
  readonly #deps: ProcessorDeps
  readonly #owned = new Map<number, OwnedPartition>()
  readonly #status: StatusPublisher
  readonly #alarmIds: AlarmIdRequester
  readonly #assignment: Assignment
  readonly #recordIntake: RecordIntake
  readonly #rebuilds: RebuildCoordinator
  readonly #progress: ProgressReporter
  readonly #work: WorkScheduler
  readonly #stopping = new AbortController()
  readonly #joined = deferred<void>()
  #consumer: Consumer | null = null
  #partitions = { stateSamples: 0, samples: 0 }
  #isRunning = false

  constructor(deps: ProcessorDeps) {
    this.#deps = deps
    const { signal } = this.#stopping
    const owned = this.#owned
    const partitions = () => this.#partitions.stateSamples
    const published = new ChangePublisher({ ...deps, signal })
    this.#status = new StatusPublisher(deps)
    this.#alarmIds = new AlarmIdRequester({
      ...deps,
      store: deps.alarmIds,
      isBusy: () => [...owned.values()].some(({ partition }) => partition.isBusy),
      onAssigned: machines => published.add('alarmIds', machines),
    })
    this.#progress = new ProgressReporter({ ...deps, alarmIds: this.#alarmIds, owned })
    this.#work = new WorkScheduler({
      owned: () => owned.values(),
      promote: each => this.#recordIntake.promote(each),
      onIdle: () => this.#progress.report(),
      onTick: () => this.#tick(),
      ...(deps.isReading && { isReading: deps.isReading }),
      logger: deps.logger,
    })
    this.#rebuilds = new RebuildCoordinator({
      ...deps,
      works: () => [...owned].map(([number, { partition }]) => [number, partition] as const),
      partitions,
      dirtyHours: partition => this.#progress.dirtyHours(partition),
      wake: () => this.#work.wake(),
    })
    this.#recordIntake = new RecordIntake({
      ...deps,
      owned,
      partitions,
      isAssigning: () => this.#assignment.isAssigning,
      onDirty: isBurst => (isBurst ? this.#work.wakeSoon() : this.#work.wake()),
    })
    this.#assignment = new Assignment({
      ...deps,
      owned,
      signal,
      partitions: () => this.#partitions,
      recordIntake: this.#recordIntake,
      rebuilds: this.#rebuilds,
      status: this.#status,
      published,
      alarmIds: this.#alarmIds,
      inputs: {
        parametersOf: machineRef => {
          const record = deps.records.machineByRef(machineRef)
          return record ? deps.machineInputs.parametersOf(record) : undefined
        },
        read: (machines, range) => {
          const known = machines.flatMap(machineRef => deps.records.machineByRef(machineRef) ?? [])
          return deps.machineInputs.read(known, range)
        },
      },
      calendarOf: companyRef => {
        const settings = deps.records.companyByRef(companyRef)?.settings
        if (!settings) return undefined
        const bounds = `${settings.timeZone} ${settings.startOfDay}`
        return { bounds, calendar: deps.calendarOf(settings, null) }
      },
      isWatched: () => deps.batchScheduler?.hasSubscribers ?? false,
      onAssigned: () => this.#work.wake(),
    })
    deps.records.onChange((change, offset) => this.#changed(change, offset))
  }

  /**
   * Reads which changes every partition has processed, and returns the offset in records.v1 after which this process
   * needs every change; -1: all of them, because log or store are empty or unavailable.
   */
  async prepare(): Promise<number> {
    try {
      await this.#countPartitions()
      await this.#recordIntake.forgetStored(true)
    } catch (error) {
      this.#deps.logger.debug({ err: error }, 'Failed to read the progress of the partitions')
    }
    return this.#recordIntake.past.forgottenOffset
  }

  /** The fences of the partitions that this process owns. */
  get fences(): ReadonlyMap<number, number> {
    return new Map([...this.#owned.values()].map(({ number, fence }) => [number, fence]))
  }

  /** The progress of the partitions that this process owns. */
  get liveProgress(): ReadonlyMap<number, LiveProgress> {
    return new Map([...this.#owned.values()].map(({ number, partition }) => [number, partition]))
  }

  /** Resolves once `run` has joined the group and has its first partitions. */
  get joined(): Promise<void> {
    return this.#joined.promise
  }

  async run(): Promise<void> {
    this.#isRunning = true
    await this.#countPartitions()
    this.#consumer = await this.#deps.log.consume({
      topic: topics.stateSamples,
      group: groups.process,
      onAssigned: async partitions => {
        await Promise.all(partitions.map(partition => this.#assignment.assign(partition)))
      },
      onRevoked: async partitions => {
        try {
          await this.#deps.onReleasing?.(partitions)
        } finally {
          this.#assignment.release(partitions)
        }
      },
      onBatch: batch => this.#runBatch(batch),
    })
    this.#work.start()
    this.#joined.resolve()
    await aborted(this.#stopping.signal)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#deps.batchScheduler?.stop()
    await this.#work.stop()
    await this.#consumer?.stop()
    this.#assignment.release([...this.#owned.keys()])
    await this.#alarmIds.stop()
  }

  async #countPartitions(): Promise<void> {
    const { log } = this.#deps
    this.#partitions = {
      stateSamples: await log.partitionCount(topics.stateSamples),
      samples: await log.partitionCount(topics.samples),
    }
  }

  #changed(change: Change, offset: number): void {
    if (change.kind === 'rebuild') this.#rebuilds.start(change.after)
    else if (this.#isRunning || offset > this.#recordIntake.past.forgottenOffset) this.#recordIntake.add(change, offset)
  }

  async #runBatch({ partition, records }: Batch): Promise<void> {
    const owned = this.#owned.get(partition)
    if (!owned) return
    const { batchScheduler } = this.#deps
    const consume = () => this.#consume(owned, records)
    owned.isConsuming = true
    try {
      await (batchScheduler ? batchScheduler.runBatch(consume, () => this.#holdIdle()) : consume())
    } finally {
      owned.isConsuming = false
    }
  }

  async #consume(owned: OwnedPartition, records: Batch['records']): Promise<BatchSize> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only ingest writes the topic
    const messages = records.map(({ value }) => JSON.parse(value.toString()) as StateSamplesMessage)
    const isKnown = (machineRef: MachineRef) => this.#deps.records.machineByRef(machineRef) !== undefined
    // Samples may be of a machine whose record this process has not read yet.
    if (![...machinesOfMessages(messages)].every(isKnown)) await this.#deps.catchUpRecords()
    this.#deps.onSeen?.(owned.number, activityOf(messages))
    await owned.partition.consume(messages, (records.at(-1)?.offset ?? -1) + 1)
    this.#deps.onConsumed?.()
    for (const { marker } of messages) if (marker) owned.promotions.mark(marker.samplesPartition, marker.recordsOffset)
    await this.#commit(owned)
    this.#work.wake()
    return { records: records.length, bytes: records.reduce((sum, { value }) => sum + value.length, 0) }
  }

  /** Stops partitions without a batch from consuming; returns the function that resumes them. */
  #holdIdle(): () => void {
    const held = [...this.#owned.values()].filter(({ isConsuming }) => !isConsuming).map(({ number }) => number)
    for (const number of held) this.#consumer?.pause(number)
    return () => {
      for (const number of held) this.#consumer?.resume(number)
    }
  }

  /** Commits up to the first offset whose documents are pending. */
  async #commit(owned: OwnedPartition): Promise<void> {
    const doneOffset = owned.partition.batches.doneOffset()
    if (doneOffset <= owned.committedOffset || owned.released.signal.aborted) return
    await this.#consumer?.commit(owned.number, doneOffset)
    owned.committedOffset = Math.max(owned.committedOffset, doneOffset)
  }

  async #tick(): Promise<void> {
    for (const owned of this.#owned.values()) {
      await owned.partition.tick()
      if (!owned.released.signal.aborted) this.#status.refresh(owned.partition.tracks.all())
      await this.#commit(owned)
    }
    await this.#alarmIds.tick()
    await this.#rebuilds.tick()
    await this.#progress.report(true)
    await this.#recordIntake.forgetStored()
  }
}

/** Returns the minutes in which machines sent samples other than heartbeats. */
function activityOf(messages: readonly StateSamplesMessage[]): readonly ActivityMinute[] {
  return messages.flatMap(({ seen, areHeartbeats = false }) =>
    areHeartbeats ? [] : seen.map(([machineRef, firstMs, lastMs]) => ({ machineRef, firstMs, lastMs })),
  )
}
