import type { Log } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { withSignals } from '../../shared/async/join-signals.ts'
import { retry } from '../../shared/async/retry.ts'
import type { AssignedPartition } from './assigned.ts'
import { markerRecords } from './forward.ts'
import type { Logger, MachineDirectory } from './ports.ts'

export interface MarkersOptions {
  readonly log: Log
  readonly machines: MachineDirectory
  readonly logger: Logger
  /** Partitions that are assigned to this process. */
  readonly assigned: () => Iterable<AssignedPartition>
  /** Resolves when the store has every sample that was decoded before. */
  readonly stored: () => Promise<void>
  /** Interval of repeated markers; default: 30 s, or longer with many partitions. */
  readonly repeatMs: number | undefined
}

/** Interval of repeated markers, with a limit of the total rate: there is one for each pair of partitions. */
const repeatedMarkers = { everyMs: 30_000, perSecond: 30 } as const

/**
 * Sends markers to the topic of state samples: each tells processors up to which records offset the later samples of a
 * partition are decoded.
 */
export class Markers {
  readonly #options: MarkersOptions
  readonly #stopping = new AbortController()
  #stateSamplesPartitions = 1
  #isMarking = false

  constructor(options: MarkersOptions) {
    this.#options = options
  }

  /** Sends markers when a key is newly named, and repeats markers. Returns a function that stops this. */
  async begin(): Promise<() => void> {
    const { log, machines, repeatMs } = this.#options
    const [stateSamples, samples] = await Promise.all([
      log.partitionCount(topics.stateSamples),
      log.partitionCount(topics.samples),
    ])
    this.#stateSamplesPartitions = stateSamples
    const everyMs = Math.max(repeatedMarkers.everyMs, ((stateSamples * samples) / repeatedMarkers.perSecond) * 1_000)
    const forget = machines.onKeyNamed(() => this.#markAll())
    const marking = setInterval(() => void this.#repeatMarkers(), repeatMs ?? everyMs)
    return () => {
      clearInterval(marking)
      forget()
    }
  }

  stop(): void {
    this.#stopping.abort(new Error('ingest is stopping'))
  }

  /** Appends a marker with the present records offset; retries until it is durable, or the partition is revoked. */
  append(partition: AssignedPartition): Promise<void> {
    return this.#append(partition, this.#options.machines.recordsOffset())
  }

  async #append(partition: AssignedPartition, recordsOffset: number): Promise<void> {
    const onRetry = (error: unknown) =>
      this.#options.logger.warn({ err: error, partition: partition.partition }, 'Failed to append marker')
    await withSignals([partition.revoked, this.#stopping.signal], signal =>
      retry(() => this.#send(partition, recordsOffset), { signal, onRetry }),
    )
    partition.markedOffset = Math.max(partition.markedOffset, recordsOffset)
  }

  #markAll(): void {
    for (const partition of this.#options.assigned()) {
      this.#mark(partition).catch((error: unknown) => {
        if (partition.revoked.aborted || this.#stopping.signal.aborted) return // the next owner of the partition sends a marker
        this.#options.logger.error({ err: error, partition: partition.partition }, 'Failed to append marker')
      })
    }
  }

  /**
   * Appends a marker after a key was named. The store has every sample decoded before; every sample after the marker is
   * decoded by the new records.
   */
  #mark(partition: AssignedPartition): Promise<void> {
    return partition.exclusive(async () => {
      const recordsOffset = this.#options.machines.recordsOffset()
      if (partition.markedOffset >= recordsOffset) return
      await this.#options.stored()
      await this.#append(partition, recordsOffset)
    })
  }

  /** Repeats markers, because the one that a promotion waits for may have been read by a process that then ended. */
  async #repeatMarkers(): Promise<void> {
    if (this.#isMarking) return
    this.#isMarking = true
    for (const partition of this.#options.assigned()) {
      try {
        if (partition.markedOffset >= 0) await this.#send(partition, partition.markedOffset)
      } catch (error) {
        this.#options.logger.warn({ err: error, partition: partition.partition }, 'Failed to resend marker')
      }
    }
    this.#isMarking = false
  }

  async #send({ partition }: AssignedPartition, recordsOffset: number): Promise<void> {
    const records = markerRecords(this.#stateSamplesPartitions, { samplesPartition: partition, recordsOffset })
    await this.#options.log.append(topics.stateSamples, records)
  }
}
