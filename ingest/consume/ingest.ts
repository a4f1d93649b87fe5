import type { Problems } from '../../shared/problems.ts'
import type { Batch, Consumer, Log, NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { groups, topics } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { deadLetterRecord } from '../decode/dead-letters.ts'
import { recordBounds } from '../decode/json.ts'
import { type Run, findRun, samplesAtOnce, type AcceptedSamples } from './accepted-samples.ts'
import { Admission } from './admission.ts'
import { AssignedPartition } from './assigned.ts'
import { deferred } from '../../shared/async/deferred.ts'
import type { Drainable } from '../../shared/async/lifecycle.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { heartbeatRecords, liveRecords, stateSampleRecords } from './forward.ts'
import { Inserter, type InsertLimits, type WaitForNextInsert } from './inserter.ts'
import { cutBySize, type DecodedSlice, decodeSlice, type RecordSlice } from './decode-slice.ts'
import { Markers } from './markers.ts'
import { isReplay, rejectedSample } from './dead-letters.ts'
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
  readonly sampleIssues?: SampleIssueReporter
  /** Limits of a record; `recordBounds` by default. */
  readonly bounds?: JsonBounds
  /**
   * Receives accepted samples when their state samples are durable, if live values need no topic; without it, live
   * values go to live.v1.
   */
  readonly publishValues?: (samples: readonly Sample[]) => void
  /**
   * Whether `publishValues` needs every sample of a machine; otherwise it gets the newest sample of each metric and the
   * future-dated ones. Default: every sample.
   */
  readonly needsEveryValue?: (machineRef: MachineRef) => boolean
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
  readonly onConsumed?: (accepted: number, rejected: ReadonlyMap<string, number>, skipped: number) => void
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

  async #handleSlice(slice: RecordSlice, partition: AssignedPartition): Promise<void> {
    const { publishValues, onForwarded, onConsumed } = this.#options
    const decoded = partition.samplesOf(slice)
    const { deadLetters, skipped } = await this.#decode(slice, decoded)
    await this.#admission.prepare(decoded.runs)
    const samples = await this.#admission.admit(decoded, deadLetters)
    this.#admission.checkRecords(samples)
    await Promise.all([
      this.#append(topics.live, publishValues ? [] : liveRecords(samples, partition.partition % this.#partitions.live)),
      this.#append(topics.stateSamples, await this.#stateSamples(samples)),
      this.#append(topics.deadLetters, deadLetters.all().map(deadLetterRecord)),
    ])
    const nextOffset = (slice.records.at(-1)?.offset ?? -1) + 1
    onForwarded?.(partition.partition, nextOffset)
    await this.#publishValues(samples)
    // The inserter copies the rows, so that the task does not retain all accepted samples until its insert completes.
    const { rows, runs } = samples
    const accepted = rows.length + samples.heartbeats.length
    this.#accepted += accepted
    for (const count of deadLetters.counts.values()) this.#rejected += count
    onConsumed?.(accepted, deadLetters.counts, skipped)
    await this.#inserter.add({
      rows,
      bytes: slice.bytes,
      acknowledged: () => this.#commit(partition, nextOffset),
      refuse: (place, row, error) => this.#refuse(findRun(runs, place), row, error),
    })
  }

  /** Builds records of state samples and activity minutes. */
  async #stateSamples(samples: AcceptedSamples): Promise<readonly NewRecord[]> {
    const { stateSamples: partitions } = this.#partitions
    const records: NewRecord[] = [...heartbeatRecords(samples.heartbeats, partitions)]
    for await (const runs of this.#inChunks(samples))
      records.push(...stateSampleRecords(samples, runs, partitions, (...each) => this.#admission.checkSample(...each)))
    return records
  }

  async #publishValues(samples: AcceptedSamples): Promise<void> {
    const { publishValues, needsEveryValue = () => true, clock = Date.now } = this.#options
    if (!publishValues) return
    for await (const runs of this.#inChunks(samples)) {
      const nowUs = clock() * 1000
      publishValues(
        runs.flatMap(run => (needsEveryValue(run.machine.ref) ? samples.all(run) : samples.newest(run, nowUs))),
      )
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
  async #decode(slice: RecordSlice, samples: AcceptedSamples): Promise<DecodedSlice> {
    const { machines, catchUpRecords, bounds = recordBounds } = this.#options
    const context = { machine: machines.find, machineByRef: machines.findByRef, bounds }
    const decoded = await decodeSlice(slice, context, samples)
    if (!catchUpRecords || !decoded.deadLetters.has('unknown_machine')) return decoded
    await catchUpRecords()
    samples.clear()
    return decodeSlice(slice, context, samples)
  }

  async #append(topic: string, records: readonly NewRecord[]): Promise<void> {
    if (records.length > 0) await this.#options.log.append(topic, records)
  }

  async #refuse({ source, machine }: Run, { sample }: SampleRow, error: unknown): Promise<void> {
    if (isReplay(source)) return
    const message = error instanceof Error ? error.message : String(error)
    await this.#append(topics.deadLetters, [
      deadLetterRecord(rejectedSample(source, machine.id, sample, { reason: 'refused_by_store', message })),
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
