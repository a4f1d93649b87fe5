import type { Problems } from '../../shared/problems.ts'
import type { Batch, Consumer, Log, LogRecord, NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { groups, topics } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { deadLetterRecord } from '../decode/dead-letters.ts'
import type { MachineName } from '../decode/compact-writer.ts'
import { machinesOfCompact } from '../decode/compact.ts'
import { type Accepted, timeLimits } from '../decode/validate.ts'
import { decodeRecord } from '../decode/record.ts'
import { recordBounds } from '../decode/json.ts'
import type { PackedSamples } from '../decode/compact-columns.ts'
import { type Run, runOf, AcceptedSamples } from './accepted-samples.ts'
import { Admission } from './admission.ts'
import { AssignedPartition } from './assigned.ts'
import { deferred } from '../../shared/async/deferred.ts'
import type { Drainable } from '../../shared/async/lifecycle.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { stateSampleRecords } from './forward.ts'
import { LiveValues } from './live-values.ts'
import { Inserter, type InsertLimits, type WaitForNextInsert } from './inserter.ts'
import { bytesOfSample, cutBySize, type DecodedSlice, decodeSlice, machinesOfRecords } from './slice.ts'
import { Markers } from './markers.ts'
import { type DeadLetters, isReplay, refusedSample } from './dead-letters.ts'
import type { MachineLimits } from './machine-bounds.ts'
import type { SampleRow } from '../../clickhouse/samples/sample-rows.ts'
import type { SampleIssueReporter, Logger, MachineDirectory, SampleWriter, UsedNames } from './ports.ts'

export interface IngestOptions {
  readonly log: Log
  /** Must contain every record that existed when ingest starts. */
  readonly machines: MachineDirectory
  /** Resolves when `machines` contains every existing record; called before a machine is reported as unknown. */
  readonly catchUpRecords?: () => Promise<void>
  readonly samples: SampleWriter
  readonly logger: Logger
  /** Where work that fails repeatedly is reported. */
  readonly problems?: Problems
  readonly limits?: Partial<InsertLimits>
  /** Schedules the inserts; without it, they follow at `limits.delayMs`. */
  readonly waitForNextInsert?: WaitForNextInsert
  /** Limits of the names of one machine. */
  readonly machineLimits?: MachineLimits
  /** Names that machines used before this process started; without it, counting starts from zero. */
  readonly usedNames?: UsedNames
  /** Collects sample issues of machines. */
  readonly faults?: SampleIssueReporter
  /** Limits of a record; `recordBounds` by default. */
  readonly bounds?: JsonBounds
  /**
   * Receives accepted samples when their state samples are durable, if live values need no topic; without it, live
   * values go to live.v1.
   */
  readonly tellValues?: (samples: readonly Sample[]) => void
  /**
   * Whether `tellValues` needs every sample of a machine; otherwise it gets the newest sample of each metric and the
   * future-dated ones. Default: every sample.
   */
  readonly wantsEveryValue?: (machineRef: MachineRef) => boolean
  /** UTC ms; default: the clock of the process. */
  readonly clock?: () => number
  /** Interval of repeated markers; default: 30 s, or longer with many partitions. */
  readonly repeatMarkersMs?: number
  /**
   * Called with the offset of a partition up to which all state samples are durable; raw samples may be stored later.
   */
  readonly onForwarded?: (partition: number, nextOffset: number) => void
  /**
   * Called for every slice with the number of accepted samples, of rejected samples by reason, and of records without a
   * value.
   */
  readonly onTaken?: (accepted: number, rejected: ReadonlyMap<string, number>, skipped: number) => void
}

/** Counts since the start. */
export interface IngestStats {
  readonly accepted: number
  readonly rejected: number
  /** Samples that wait for their insert. */
  readonly pending: number
}

export interface Ingest extends Drainable {
  stats(): IngestStats
}

/**
 * The ingest role. For every slice of samples.v1, the order of effects is the guarantee: first state samples, live
 * values and dead letters are appended (or live values published in this process), then the samples are inserted, then
 * the offset is committed. After a crash in between, the slice is repeated without loss. `run` rejects if continuing
 * would lose samples. A stopped ingest leaves the group; the next start reads the remaining samples again.
 */
export function createIngest(options: IngestOptions): Ingest {
  return new IngestRole(options)
}

/** Number of samples per message of state samples and live values. */
const samplesAtOnce = 2_000

class IngestRole implements Ingest {
  readonly #options: IngestOptions
  readonly #inserter: Inserter
  readonly #admission: Admission
  readonly #markers: Markers
  readonly #assigned = new Map<number, AssignedPartition>()
  readonly #consumer = deferred<Consumer>()
  readonly #ended = deferred<void>()
  readonly #commits = new Set<Promise<void>>()
  #partitions = { stateSamples: 1, live: 1 }
  #accepted = 0
  #rejected = 0

  constructor(options: IngestOptions) {
    this.#options = options
    this.#admission = new Admission({ ...options, limits: options.machineLimits })
    this.#inserter = new Inserter({
      writer: options.samples,
      onFailed: error => this.#ended.reject(error),
      logger: options.logger,
      problems: options.problems,
      ...(options.limits && { limits: options.limits }),
      ...(options.waitForNextInsert && { waitForNextInsert: options.waitForNextInsert }),
    })
    const { log, machines, logger, repeatMarkersMs } = options
    this.#markers = new Markers({
      log,
      machines,
      logger,
      assigned: () => this.#assigned.values(),
      stored: () => this.#inserter.drain(),
      repeatMs: repeatMarkersMs,
    })
  }

  async run(): Promise<void> {
    const { log } = this.#options
    const [stateSamples, live] = await Promise.all([
      log.partitionCount(topics.stateSamples),
      log.partitionCount(topics.live),
    ])
    this.#partitions = { stateSamples, live }
    const endMarking = await this.#markers.begin()
    try {
      const consumer = await log.consume({
        topic: topics.samples,
        group: groups.ingest,
        acceptsDefects: true,
        onAssigned: partitions => this.#assign(partitions),
        onRevoked: partitions => this.#revoke(partitions),
        onBatch: batch => this.#handle(batch),
      })
      this.#consumer.resolve(consumer)
      try {
        await this.#ended.promise
      } finally {
        await consumer.stop()
      }
    } finally {
      endMarking()
    }
  }

  async drain(withinMs: number): Promise<void> {
    const drained = this.#inserter.drain().catch(() => undefined)
    await withTimeout(withinMs, drained, () => undefined)
  }

  async stop(): Promise<void> {
    this.#markers.stop()
    this.#inserter.stop()
    await Promise.all(this.#commits)
    this.#ended.resolve()
  }

  stats(): IngestStats {
    return { accepted: this.#accepted, rejected: this.#rejected, pending: this.#inserter.pendingRows }
  }

  async #assign(partitions: readonly number[]): Promise<void> {
    const added = partitions.map(partition => new AssignedPartition(partition))
    for (const partition of added) this.#assigned.set(partition.partition, partition)
    // The previous owner may have sent a marker for records that this process has not followed yet.
    await this.#options.catchUpRecords?.()
    await Promise.all(added.map(partition => this.#markers.append(partition)))
  }

  async #revoke(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      this.#assigned.get(partition)?.revoke()
      this.#assigned.delete(partition)
    }
  }

  #handle(batch: Batch): Promise<void> {
    const partition = this.#assigned.get(batch.partition)
    if (partition === undefined) throw new Error(`partition ${batch.partition} is not assigned`)
    return partition.exclusive(async () => {
      for (const slice of cutBySize(batch.records)) await this.#handleSlice(slice, partition)
    })
  }

  async #handleSlice(records: readonly LogRecord[], partition: AssignedPartition): Promise<void> {
    const decoded = await this.#decode(records)
    const { nextOffset, bytes, deadLetters } = decoded
    await this.#admission.prepare(machinesOfRecords(decoded.records))
    const live = this.#options.tellValues ? null : new LiveValues()
    const taken = await this.#accept(decoded, partition, live)
    this.#admission.checkRecords(taken)
    await Promise.all([
      this.#append(topics.live, live?.records(partition.partition % this.#partitions.live) ?? []),
      this.#append(topics.stateSamples, await this.#stateSamples(taken)),
      this.#append(topics.deadLetters, deadLetters.all().map(deadLetterRecord)),
    ])
    this.#options.onForwarded?.(partition.partition, nextOffset)
    await this.#tellValues(taken)
    // Copies the rows, so that the task does not retain all accepted samples until its insert completes.
    const { rows, runs } = taken
    this.#accepted += rows.length
    for (const count of deadLetters.counts.values()) this.#rejected += count
    this.#options.onTaken?.(rows.length, deadLetters.counts, decoded.skipped)
    await this.#inserter.add({
      rows,
      bytes,
      acknowledged: () => this.#commit(partition, nextOffset),
      refuse: (place, row, error) => this.#refuse(runOf(runs, place), row, error),
    })
  }

  /**
   * Accepts the samples within the limits of their machines, also as live values. Yields to the event loop in between.
   */
  async #accept(
    { records, deadLetters, bytes }: DecodedSlice,
    partition: AssignedPartition,
    live: LiveValues | null,
  ): Promise<AcceptedSamples> {
    const { taken: before } = partition
    const taken = before?.reuse() ? before : new AcceptedSamples(Math.ceil(bytes / bytesOfSample))
    partition.taken = taken
    const slice = new TimeSlice()
    const takeEach = (source: LogRecord, decoded: readonly Accepted[]) => {
      const accepted = this.#admission.admit(source, decoded, (...letter) => deadLetters.add(...letter))
      taken.append(source, accepted)
      live?.add(accepted)
    }
    for (const { source, packed, accepted } of records) {
      if (packed !== null) {
        if (this.#acceptPacked(source, packed, taken)) live?.addPacked(packed)
        else takeEach(source, this.#unpack(source, packed, deadLetters))
      }
      for (let from = 0; from < accepted.length; from += samplesAtOnce) {
        takeEach(source, accepted.slice(from, from + samplesAtOnce))
        if (slice.isOver) await slice.next()
      }
      if (slice.isOver) await slice.next()
    }
    return taken
  }

  /**
   * Accepts a compact record of plain samples as a whole; false: its samples must be validated one by one, and none was
   * accepted.
   */
  #acceptPacked(source: LogRecord, packed: PackedSamples, taken: AcceptedSamples): boolean {
    const runs = taken.appendPacked(source, packed, machine => timeLimits(machine, source.timestampMs))
    if (runs === null) return false
    const { names } = taken.rows
    const takes = runs.every(({ machine, names: places }) =>
      places.every(place => {
        const own = names[place]
        return own !== undefined && this.#admission.acceptsNames(machine, own)
      }),
    )
    if (!takes) taken.giveBack(runs)
    return takes
  }

  #unpack(source: LogRecord, { machines, bytes }: PackedSamples, deadLetters: DeadLetters): readonly Accepted[] {
    const byName = new Map(machinesOfCompact(bytes)?.names.map((name, place) => [name, machines[place]]))
    const machine = (name: MachineName) => byName.get(name)
    const context = { machine, machineByRef: machine, appendedAtMs: source.timestampMs }
    const decoded = decodeRecord(bytes, context)
    deadLetters.addRejected(source, decoded, false)
    return decoded.accepted
  }

  /** Builds records of state samples and activity minutes. */
  async #stateSamples(taken: AcceptedSamples): Promise<readonly NewRecord[]> {
    const { stateSamples: partitions } = this.#partitions
    const records: NewRecord[] = []
    for await (const runs of this.#inChunks(taken))
      records.push(...stateSampleRecords(taken, runs, partitions, (...each) => this.#admission.checkSample(...each)))
    return records
  }

  async #tellValues(taken: AcceptedSamples): Promise<void> {
    const { tellValues, wantsEveryValue = () => true, clock = Date.now } = this.#options
    if (!tellValues) return
    for await (const runs of this.#inChunks(taken)) {
      const nowUs = clock() * 1000
      tellValues(runs.flatMap(run => (wantsEveryValue(run.machine.ref) ? taken.all(run) : taken.newest(run, nowUs))))
    }
  }

  /** Yields the runs of samples in chunks, and control to the event loop in between. */
  async *#inChunks({ runs }: AcceptedSamples): AsyncGenerator<readonly Run[]> {
    const slice = new TimeSlice()
    for (let from = 0; from < runs.length;) {
      let to = from
      for (let count = 0; to < runs.length && count < samplesAtOnce; to++) count += lengthOf(runs[to])
      yield runs.slice(from, to)
      from = to
      if (slice.isOver) await slice.next()
    }
  }

  /** Decodes a second time if a machine is unknown, because another process may have just created it. */
  async #decode(records: readonly LogRecord[]): Promise<DecodedSlice> {
    const { machines, catchUpRecords, bounds = recordBounds } = this.#options
    const context = { machine: machines.find, machineByRef: machines.findByRef, bounds }
    const decoded = await decodeSlice(records, context)
    if (!catchUpRecords || !decoded.deadLetters.has('unknown_machine')) return decoded
    await catchUpRecords()
    return decodeSlice(records, context)
  }

  async #append(topic: string, records: readonly NewRecord[]): Promise<void> {
    if (records.length > 0) await this.#options.log.append(topic, records)
  }

  async #refuse({ source, machine }: Run, { sample }: SampleRow, error: unknown): Promise<void> {
    if (isReplay(source)) return
    const message = error instanceof Error ? error.message : String(error)
    await this.#append(topics.deadLetters, [
      deadLetterRecord(refusedSample(source, machine.id, sample, { reason: 'refused_by_store', message })),
    ])
  }

  /** A failed commit is made up for by the next one, or by repeated work: samples may be stored twice. */
  #commit({ partition, revoked }: AssignedPartition, nextOffset: number): void {
    const commit = this.#consumer.promise
      .then(consumer => (revoked.aborted ? undefined : consumer.commit(partition, nextOffset)))
      .catch((error: unknown) => this.#options.logger.warn({ err: error, partition }, 'Failed to commit offsets'))
      .finally(() => this.#commits.delete(commit))
    this.#commits.add(commit)
  }
}

function lengthOf(run: Run | undefined): number {
  return run === undefined ? 0 : run.end - run.first
}
