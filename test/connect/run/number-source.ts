import type { ReadSource, SourceError } from '../../../connect/source/source.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { pause } from '../../../shared/async/waiting.ts'

/** Samples that the source passes in one call. */
const perDocument = 50

/** A source that keeps numbered samples of one machine, and delivers those after its position. */
export class NumberSource {
  readonly machineId: string
  /** Number of samples that the source has now. */
  available: number
  /** Errors with which the next connections fail. */
  readonly failures: SourceError[] = []
  connections = 0
  open = 0

  constructor(machineId: string, available = 0) {
    this.machineId = machineId
    this.available = available
  }

  readonly read: ReadSource = async session => {
    const { position, signal } = session
    this.connections++
    const failure = this.failures.shift()
    if (failure) throw failure
    this.open++
    let next = nextOf(position.head)
    session.report('catching_up')
    try {
      while (!signal.aborted) {
        const to = Math.min(next + perDocument, this.available)
        const delivered = session.deliver(this.#samples(next, to))
        delivered
          .then(() => {
            position.head = { next: to }
            session.positionChanged()
          })
          .catch(() => undefined)
        session.totals.observations += to - next
        session.heard()
        next = to
        await session.waitForSpace()
        if (next < this.available) continue
        session.report('connected')
        while (next === this.available && !signal.aborted) await pause(5, signal)
      }
    } finally {
      this.open--
    }
  }

  #samples(from: number, to: number): readonly WireSample[] {
    return Array.from({ length: to - from }, (_, index) => ({
      machineId: this.machineId,
      timestamp: new Date(Date.UTC(2024, 0, 1) + (from + index) * 1000).toISOString(),
      key: 'count',
      type: 'PART_COUNT',
      value: from + index,
      instanceId: 1,
      sequence: from + index,
    }))
  }
}

function nextOf(head: unknown): number {
  return typeof head === 'object' && head !== null && 'next' in head ? Number(head.next) : 0
}
