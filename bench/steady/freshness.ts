import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildService } from '../../test/support/child-service.ts'
import { joined, type LiveClient } from '../../test/support/live-client.ts'
import { readAs } from '../../test/support/read-as.ts'
import { testKey } from '../../test/support/service.ts'
import { Times } from '../reports/measure.ts'

const lostMs = 60_000

/** A machine beside the plant: how long what it posts takes until others have it. */
export class Probe {
  readonly #service: ChildService
  readonly #machineId: string
  readonly #screen: LiveClient
  #parts = 0

  private constructor(service: ChildService, machineId: string, screen: LiveClient) {
    this.#service = service
    this.#machineId = machineId
    this.#screen = screen
  }

  static async start(service: ChildService): Promise<Probe> {
    const machineId = randomUUID()
    await service.call('PUT', `/machines/${machineId}`, { name: 'probe' })
    const screen = await joined('plain', service.url, 'diagnostics', testKey)
    screen.send('set_machines', [machineId])
    const probe = new Probe(service, machineId, screen)
    // The machine's first hours are made before.
    await probe.#post('parts', 'PART_COUNT', 0)
    await service.settled()
    return probe
  }

  end(): void {
    this.#screen.close()
  }

  /** For so long a part every one to two seconds: from its post until a report counts it. */
  async toReport(durationMs: number): Promise<Times> {
    const times = new Times()
    for (const untilMs = performance.now() + durationMs; performance.now() < untilMs;) {
      await sleep(1_000 + 1_000 * Math.random())
      const postedMs = performance.now()
      await this.#post('parts', 'PART_COUNT', ++this.#parts)
      while ((await this.#reported()) !== this.#parts) {
        if (performance.now() - postedMs > lostMs) throw new Error('A part did not come into the report')
        await sleep(20)
      }
      times.add(performance.now() - postedMs)
    }
    return times
  }

  /** For so long five values a second: from the post until a screen that follows the machine has it. */
  async toScreen(durationMs: number): Promise<Times> {
    const times = new Times()
    let round = 0
    for (const untilMs = performance.now() + durationMs; performance.now() < untilMs;) {
      await sleep(150 + 100 * Math.random())
      const value = `value ${++round}`
      const postedMs = performance.now()
      const posted = this.#post('load', 'LOAD', value)
      await this.#screen.until(() => this.#screen.of('update').at(-1)?.value === value, lostMs)
      times.add(performance.now() - postedMs)
      await posted
      this.#screen.events.length = 0
    }
    return times
  }

  async #post(key: string, type: string, value: number | string): Promise<void> {
    const samples = [{ timestamp: new Date().toISOString(), key, type, value }]
    for (;;) {
      const { status } = await this.#service.call('POST', '/ingest/samples', { machineId: this.#machineId, samples })
      if (status === 202) return
      if (status !== 429 && status !== 503) throw new Error(`POST /ingest/samples answered ${status}`)
      await sleep(50)
    }
  }

  async #reported(): Promise<number | undefined> {
    const { body } = await this.#service.call('POST', '/reports/production', {
      start: new Date(Date.now() - 3_600_000).toISOString(),
      end: new Date(Date.now() + 3_600_000).toISOString(),
      data: [{ metric: 'totalParts' }],
      filter: { machine: [this.#machineId] },
    })
    return readAs<{ aggregate?: { totalParts?: number } }>(body).aggregate?.totalParts
  }
}
