import { expect } from 'chai'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { ConnectorEvaluator, type CurrentConnectorState } from '../../../respond/evaluate/connector-evaluator.ts'
import type { Result } from '../../../schema/commands/commands.ts'
import type { IncidentRecord } from '../../../schema/records/incident.ts'
import { hourMs, secondMs } from '../../../shared/time/units.ts'
import { Plant, startMs } from '../../processors/registrar/plant.ts'
import { forAll } from '../../support/for-all.ts'
import {
  anyHoldRule,
  anyHolds,
  type Holds,
  knownHolds,
  ruleTimes,
  type RuleSeconds,
  scanHolds,
  timesOf,
} from './hold-scan.ts'

const agent = { name: 'Hall 1', kind: 'mtconnect', address: 'http://agent.example:5000' }

/** A plant with a connector, its state, and the evaluator of the owner of partition 0. */
class Scene {
  readonly plant = new Plant()
  readonly fence: number
  evaluator: ConnectorEvaluator
  state: CurrentConnectorState | null = { holds: false, sinceMs: startMs, state: 'connected' }
  isOwner = true
  /** Connector of which the state cannot be computed. */
  broken: string | null = null
  /** How commands end. */
  outcome: 'done' | 'failed' | 'refused' = 'done'
  commands = 0

  constructor() {
    this.fence = this.plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null }).fence
    this.evaluator = this.restarted()
    this.plant.do('connector.put', { ...agent, id: 'c' })
  }

  restarted(): ConnectorEvaluator {
    const { plant } = this
    return new ConnectorEvaluator({
      records: plant.records,
      commands: {
        submit: async (name, payload, { companyId }) => {
          this.commands++
          if (this.outcome === 'failed') throw new Error('The command failed')
          if (this.outcome === 'done') return { ok: true, result: plant.result(name, payload, { companyId }) }
          const refused: unknown = { refused: ['any'] }
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of `incident.evaluate`
          return { ok: true, result: refused as Result<typeof name> }
        },
      },
      fences: () => new Map(this.isOwner ? [[0, this.fence]] : []),
      stateOf: (_, { id }) => {
        if (id === this.broken) throw new Error('The state is not available')
        return this.state
      },
      calendarOf: createCalendar,
      clock: () => plant.nowMs,
      logger: pino({ level: 'silent' }),
    })
  }

  addRule(more: object = {}): void {
    const rule = { id: 'r', name: 'Connection lost', severity: 'warning', condition: { connector: 'disconnected' } }
    this.plant.do('alertRule.put', { ...rule, ...more })
  }

  set(holds: boolean): void {
    this.state = { holds, sinceMs: this.plant.nowMs, state: holds ? 'rejected' : 'connected' }
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.plant.nowMs += secondMs
      await this.evaluator.tick()
    }
  }

  get incidents(): readonly IncidentRecord[] {
    return this.plant.records.list('incident', this.plant.companyId)
  }

  get states() {
    return this.incidents.map(({ state, cause }) => ({ state, cause }))
  }
}

describe('ConnectorEvaluator', () => {
  it('Incidents equal those of a scan over all states, with restarts of the evaluation', async () => {
    const run = async (holds: Holds, rule: RuleSeconds, restarts: readonly number[]): Promise<number> => {
      const scene = new Scene()
      const { plant } = scene
      scene.addRule(ruleTimes(rule))
      for (let second = 1; second <= (holds.at(-1)?.[1] ?? 0) + 10; second++) {
        if (restarts.includes(second)) scene.evaluator = scene.restarted()
        await scene.pass(1)
        if (holds.some(([start]) => start === second)) scene.set(true)
        if (holds.some(([, end]) => end === second)) scene.set(false)
      }
      const found = timesOf(scene.incidents, startMs)
      expect(found).to.deep.equal(scanHolds(holds, rule))
      expect(scene.states.every(({ cause }) => cause === 'condition')).to.equal(true)
      const { length } = plant.entries
      await scene.pass(3)
      expect(plant.entries.length, 'further commands').to.equal(length)
      return found.length
    }
    for (const { holds, rule, incidents } of knownHolds)
      expect(await run(holds, rule, [12]), 'there are incidents').to.equal(incidents)
    const anyRestarts = fc.array(fc.nat(100), { maxLength: 6 })
    await forAll(
      fc.asyncProperty(anyHolds, anyHoldRule, anyRestarts, async (...drawn) => void (await run(...drawn))),
      { numRuns: 60, shrinks: true },
    )
  })

  it('An incident names the connector and its state, and its steps notify', async () => {
    const scene = new Scene()
    scene.plant.do('alertTarget.put', {
      id: 't',
      name: 'IT',
      kind: 'mail',
      addresses: ['it@example.com'],
      language: 'en',
    })
    scene.addRule({ steps: [{ afterMs: 2_000, until: 'acknowledged', targets: ['t'], repeatMs: null }] })
    await scene.pass(2)
    scene.set(true)
    await scene.pass(2)
    const [opened] = scene.incidents
    expect(opened?.subject).to.deep.equal({ type: 'connector', id: 'c', name: 'Hall 1' })
    expect(opened?.detail).to.deep.equal({ connectorState: 'rejected' })
    expect(opened?.kind).to.equal('connector')
    expect(opened?.notices).to.deep.equal([])
    await scene.pass(2)
    expect(scene.incidents[0]?.notices.map(({ targetId }) => targetId)).to.deep.equal(['t'])
  })

  it('The end of the connector or of the rule resolves the incident', async () => {
    const scene = new Scene()
    const open = async () => {
      scene.set(true)
      await scene.pass(2)
    }
    scene.addRule()
    await open()
    scene.plant.do('connector.put', { ...agent, id: 'c', enabled: false })
    await scene.pass(1)
    scene.plant.do('connector.put', { ...agent, id: 'c', enabled: true })
    await open()
    scene.addRule({ enabled: false })
    await scene.pass(1)
    scene.addRule({ name: 'Again' })
    await open()
    scene.plant.do('connector.delete', { id: 'c' })
    await scene.pass(1)
    expect(scene.states).to.have.deep.members([
      { state: 'resolved', cause: 'subject' },
      { state: 'resolved', cause: 'rule' },
      { state: 'resolved', cause: 'subject' },
    ])
  })

  it('A rule applies to the connectors that it names, on its days', async () => {
    const scene = new Scene()
    const { plant } = scene
    plant.do('connector.put', { ...agent, id: 'd' })
    scene.set(true)
    scene.addRule({ subject: { connectorIds: ['d'] }, when: { days: [2] } })
    await scene.pass(2)
    expect(scene.incidents).to.deep.equal([])
    plant.nowMs += 24 * hourMs
    await scene.pass(2)
    expect(scene.incidents.map(({ subject }) => subject.id)).to.deep.equal(['d'])
  })

  for (const outcome of ['failed', 'refused'] as const)
    it(`Commands with the outcome "${outcome}" are sent at growing intervals`, async () => {
      const scene = new Scene()
      scene.addRule()
      await scene.pass(1)
      scene.set(true)
      scene.outcome = outcome
      await scene.pass(300)
      expect(scene.commands).to.be.within(8, 16)
      scene.outcome = 'done'
      await scene.pass(61)
      expect(scene.states).to.deep.equal([{ state: 'open', cause: null }])
      const { commands } = scene
      await scene.pass(60)
      expect(scene.commands).to.equal(commands)
    })

  it('Before the state is known, and in a process that does not own the first partition, nothing opens', async () => {
    const scene = new Scene()
    scene.addRule()
    scene.state = null
    await scene.pass(2)
    expect(scene.incidents).to.deep.equal([])
    scene.isOwner = false
    scene.set(true)
    await scene.pass(2)
    expect(scene.incidents).to.deep.equal([])
    scene.isOwner = true
    await scene.pass(2)
    expect(scene.states).to.deep.equal([{ state: 'open', cause: null }])
  })

  it('A failure with one connector does not forget the outages of the others', async () => {
    const scene = new Scene()
    scene.plant.do('connector.put', { ...agent, id: 'd', name: 'Hall 2' })
    scene.addRule({ subject: { machineIds: [], machineGroupIds: [], connectorIds: ['d'] } })
    await scene.pass(1)
    scene.outcome = 'failed'
    scene.set(true)
    await scene.pass(5)
    scene.set(false)
    await scene.pass(1)
    scene.broken = 'c'
    await scene.pass(1)
    scene.broken = null
    scene.outcome = 'done'
    await scene.pass(120)
    expect(scene.states).to.deep.equal([{ state: 'resolved', cause: 'condition' }])
  })
})
