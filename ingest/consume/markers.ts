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
  /** Resolves when the store holds every sample that was decoded before. */
  readonly stored: () => Promise<void>
  /** Markers are repeated this often; without it every 30 s, or less often where there are many. */
  readonly againMs: number | undefined
}

/** Markers are repeated this often, but no more than so many a second in all: there is one for each pair of partitions. */
const repeatedMarkers = { everyMs: 30_000, perSecond: 30 } as const

/**
 * Markers in the topic of state samples: each tells the processors up to which offset of the records the samples of a partition are
 * decoded from there on.
 */
export class Markers {
  readonly #options: MarkersOptions
  readonly #stopping = new AbortController()
  #stateSamplesPartitions = 1
  #isMarking = false

  constructor(options: MarkersOptions) {
    this.#options = options
  }

  /** Marks where a key is newly named, and repeats markers. Returns what ends it. */
  async begin(): Promise<() => void> {
    const { log, machines, againMs } = this.#options
    const [stateSamples, samples] = await Promise.all([
      log.partitionCount(topics.stateSamples),
      log.partitionCount(topics.samples),
    ])
    this.#stateSamplesPartitions = stateSamples
    const everyMs = Math.max(repeatedMarkers.everyMs, ((stateSamples * samples) / repeatedMarkers.perSecond) * 1_000)
    const forget = machines.onKeyNamed(() => this.#markAll())
    const marking = setInterval(() => void this.#markAgain(), againMs ?? everyMs)
    return () => {
      clearInterval(marking)
      forget()
    }
  }

  stop(): void {
    this.#stopping.abort(new Error('ingest is stopping'))
  }

  /** Appends a marker of what `machines` follows now; tries until it is there, or the partition is revoked. */
  append(partition: AssignedPartition): Promise<void> {
    return this.#append(partition, this.#options.machines.recordsOffset())
  }

  async #append(partition: AssignedPartition, recordsOffset: number): Promise<void> {
    const onRetry = (error: unknown) =>
      this.#options.logger.warn({ err: error, partition: partition.partition }, 'marker failed')
    await withSignals([partition.revoked, this.#stopping.signal], signal =>
      retry(() => this.#send(partition, recordsOffset), { signal, onRetry }),
    )
    partition.markedOffset = Math.max(partition.markedOffset, recordsOffset)
  }

  #markAll(): void {
    for (const partition of this.#options.assigned()) {
      this.#mark(partition).catch((error: unknown) => {
        if (partition.revoked.aborted || this.#stopping.signal.aborted) return // whoever is assigned next marks it
        this.#options.logger.error({ err: error, partition: partition.partition }, 'marker failed')
      })
    }
  }

  /**
   * Appends a marker after a key was named. The store holds every sample decoded before that; every sample after the
   * marker is decoded by the new records.
   */
  #mark(partition: AssignedPartition): Promise<void> {
    return partition.exclusive(async () => {
      const recordsOffset = this.#options.machines.recordsOffset()
      if (partition.markedOffset >= recordsOffset) return
      await this.#options.stored()
      await this.#append(partition, recordsOffset)
    })
  }

  /** Repeats markers: the one that a promotion waits for may have been taken by a process that then ended. */
  async #markAgain(): Promise<void> {
    if (this.#isMarking) return
    this.#isMarking = true
    for (const partition of this.#options.assigned()) {
      try {
        if (partition.markedOffset >= 0) await this.#send(partition, partition.markedOffset)
      } catch (error) {
        this.#options.logger.warn({ err: error, partition: partition.partition }, 'marker not repeated')
      }
    }
    this.#isMarking = false
  }

  async #send({ partition }: AssignedPartition, recordsOffset: number): Promise<void> {
    const records = markerRecords(this.#stateSamplesPartitions, { samplesPartition: partition, recordsOffset })
    await this.#options.log.append(topics.stateSamples, records)
  }
}
