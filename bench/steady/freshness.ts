import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildService } from '../../test/support/child-service.ts'
import { joined, type LiveClient } from '../../test/support/live-client.ts'
import { testKey } from '../../test/support/service.ts'
import { Times } from '../reports/measure.ts'
import { PartProbe } from '../support/part-probe.ts'

const lostMs = 60_000

/** A machine besides the plant: measures the delay until its posts are visible. */
export class Probe {
  readonly #machine: PartProbe
  readonly #screen: LiveClient

  private constructor(machine: PartProbe, screen: LiveClient) {
    this.#machine = machine
    this.#screen = screen
  }

  static async start(service: ChildService): Promise<Probe> {
    const machine = await PartProbe.add(service)
    const screen = await joined('plain', service.url, 'diagnostics', testKey)
    screen.send('set_machines', [machine.machineId])
    await service.settled()
    return new Probe(machine, screen)
  }

  end(): void {
    this.#screen.close()
  }

  /** Posts a part every one to two seconds, for the given time, and measures the delay until a report counts it. */
  toReport(durationMs: number): Promise<Times> {
    return this.#machine.toReport(durationMs)
  }

  /** Posts five values a second, for the given time, and measures the delay until a screen that follows the machine has them. */
  async toScreen(durationMs: number): Promise<Times> {
    const times = new Times()
    let round = 0
    for (const untilMs = performance.now() + durationMs; performance.now() < untilMs;) {
      await sleep(150 + 100 * Math.random())
      const value = `value ${++round}`
      const postedMs = performance.now()
      const posted = this.#machine.post('load', 'LOAD', value)
      await this.#screen.until(() => this.#screen.of('update').at(-1)?.value === value, lostMs)
      times.add(performance.now() - postedMs)
      await posted
      this.#screen.events.length = 0
    }
    return times
  }
}
