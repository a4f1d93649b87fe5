import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildService } from '../../test/support/child-service.ts'
import { readAs } from '../../test/support/read-as.ts'
import { Times } from '../reports/measure.ts'

const lostMs = 60_000

/** A machine besides the others, whose parts are timed. */
export class PartProbe {
  readonly machineId: string
  readonly #call: ChildService['call']
  #parts = 0

  private constructor(call: ChildService['call'], machineId: string) {
    this.#call = call
    this.machineId = machineId
  }

  static async add({ call }: ChildService): Promise<PartProbe> {
    const probe = new PartProbe(call, randomUUID())
    await call('PUT', `/machines/${probe.machineId}`, { name: 'probe' })
    // The first hours of the machine are computed from here on.
    await probe.post('parts', 'PART_COUNT', 0)
    return probe
  }

  /** Posts a part every one to two seconds, for the given time, and measures the delay until a report counts it. */
  async toReport(durationMs: number): Promise<Times> {
    const times = new Times()
    for (const untilMs = performance.now() + durationMs; performance.now() < untilMs;) {
      await sleep(1_000 + 1_000 * Math.random())
      const postedMs = performance.now()
      await this.post('parts', 'PART_COUNT', ++this.#parts)
      while ((await this.#reported()) !== this.#parts) {
        if (performance.now() - postedMs > lostMs) throw new Error('A part did not come into the report')
        await sleep(20)
      }
      times.add(performance.now() - postedMs)
    }
    return times
  }

  async post(key: string, type: string, value: number | string): Promise<void> {
    const samples = [{ timestamp: new Date().toISOString(), key, type, value }]
    for (;;) {
      const { status } = await this.#call('POST', '/ingest/samples', { machineId: this.machineId, samples })
      if (status === 202) return
      if (status !== 429 && status !== 503) throw new Error(`POST /ingest/samples answered ${status}`)
      await sleep(50)
    }
  }

  async #reported(): Promise<number | undefined> {
    const { body } = await this.#call('POST', '/reports/production', {
      start: new Date(Date.now() - 3_600_000).toISOString(),
      end: new Date(Date.now() + 3_600_000).toISOString(),
      data: [{ metric: 'totalParts' }],
      filter: { machine: [this.machineId] },
    })
    return readAs<{ aggregate?: { totalParts?: number } }>(body).aggregate?.totalParts
  }
}
