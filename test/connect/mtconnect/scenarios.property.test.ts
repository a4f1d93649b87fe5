import * as fc from 'fast-check'
import { forAll } from '../../support/for-all.ts'
import { Scenario } from './scenario.ts'

type Step =
  | { readonly kind: 'event'; readonly id: 'exec' | 'mode'; readonly value: string; readonly ageMs: number }
  | {
      readonly kind: 'condition'
      readonly level: 'Normal' | 'Warning' | 'Fault'
      readonly code: string
      readonly ageMs: number
    }
  | { readonly kind: 'part' | 'disconnect'; readonly ageMs: number }
  | { readonly kind: 'work'; readonly changes: number }

type Command =
  | { readonly kind: 'steps' | 'twice' | 'half' | 'killed with an old position'; readonly steps: readonly Step[] }
  | {
      readonly kind: 'away'
      readonly how: 'cut' | 'killed'
      readonly steps: readonly Step[]
      readonly isRestarted: boolean
      readonly later: readonly Step[]
    }

/** Values have the times since when they hold; a machine's clock may be ahead. */
const ageMs = fc.constantFrom(0, 0, 0, 400, 60_000, -5_000)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('event' as const),
    id: fc.constantFrom('exec' as const, 'mode' as const),
    value: fc.constantFrom('ACTIVE', 'READY', 'UNAVAILABLE'),
    ageMs,
  }),
  fc.record({
    kind: fc.constant('condition' as const),
    level: fc.constantFrom('Normal' as const, 'Warning' as const, 'Fault' as const),
    code: fc.constantFrom('', '1', '2'),
    ageMs,
  }),
  fc.record({ kind: fc.constantFrom('part' as const, 'disconnect' as const), ageMs }),
  fc.record({ kind: fc.constant('work' as const), changes: fc.integer({ min: 1, max: 20 }) }),
)
const steps = fc.array(step, { maxLength: 6 })
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constantFrom('steps', 'twice', 'half', 'killed with an old position'), steps }),
  fc.record({
    kind: fc.constant('away' as const),
    how: fc.constantFrom('cut' as const, 'killed' as const),
    steps,
    isRestarted: fc.boolean(),
    later: steps,
  }),
)

class Runner {
  readonly #scenario: Scenario
  #instanceId = 1

  constructor(scenario: Scenario) {
    this.#scenario = scenario
  }

  async run(one: Command): Promise<void> {
    const { agent, connector } = this.#scenario
    if (one.kind === 'away') await this.#away(one)
    else if (one.kind === 'killed with an old position') {
      connector.storesPositions = false
      this.#do(one.steps.slice(0, 3))
      await this.#scenario.readAll()
      await connector.kill()
      connector.storesPositions = true
      connector.start()
    } else {
      agent.faults.repeatsDocuments = one.kind === 'twice'
      agent.faults.halfDocuments = one.kind === 'half' ? 1 : 0
      for (const each of one.steps) {
        this.#do([each])
        await this.#scenario.readAll()
      }
    }
    await this.#scenario.readAll()
  }

  async #away({ how, steps: before, isRestarted, later }: Command & { readonly kind: 'away' }): Promise<void> {
    const { agent, model, connector } = this.#scenario
    const isKilled = how === 'killed'
    const change = () => {
      this.#do(before)
      if (isRestarted) {
        this.#scenario.restart(String(++this.#instanceId))
        this.#do(later)
        model.beginAt(agent.present(), agent.first, isKilled ? this.#scenario.clockMs : null)
      } else if (agent.first > model.next) this.#scenario.overrun({ isKilled })
    }
    if (!isKilled) return this.#scenario.cut(change)
    await connector.kill()
    change()
    connector.start()
  }

  #do(list: readonly Step[]): void {
    for (const one of list) this.#doStep(one)
  }

  #doStep(one: Step): void {
    const scenario = this.#scenario
    switch (one.kind) {
      case 'event':
        return scenario.observe(one.id, one.value, one)
      case 'condition':
        return scenario.observe('sys', one.level, one.code === '' ? { ageMs: one.ageMs } : one)
      case 'part':
        return scenario.observe('part', '1', one)
      case 'disconnect':
        for (const id of ['exec', 'mode', 'part', 'count']) scenario.observe(id, 'UNAVAILABLE')
        return scenario.observe('sys', 'Unavailable')
      case 'work':
        return scenario.work(one.changes)
      default:
        return one satisfies never
    }
  }
}

describe('MTConnect connector and an agent with random faults', () => {
  it('Delivered samples equal those of a naive model of the agent', async () => {
    const property = fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 8 }), async commands => {
      const scenario = await Scenario.start({ bufferSize: 64 })
      try {
        const runner = new Runner(scenario)
        await scenario.readAll()
        for (const one of commands) await runner.run(one)
        scenario.check()
      } finally {
        await scenario.end()
      }
    })
    await forAll(property, { numRuns: 60, shrinks: true })
  })
})
