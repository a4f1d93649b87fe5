import { expect } from 'chai'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { SystemEvaluator, type SystemReadings } from '../../../respond/evaluate/system-evaluator.ts'
import type { IncidentRecord } from '../../../schema/records/incident.ts'
import { secondMs } from '../../../shared/time/units.ts'
import { Plant, startMs } from '../../processors/registrar/plant.ts'
import { forAll } from '../../support/for-all.ts'
import {
  anyHoldRule,
  anyHolds,
  type Holds,
  knownHolds,
  ruleTimes,
  type RuleSeconds,
  scanValues,
  timesOf,
} from './hold-scan.ts'

/** An installation whose checks have given values, and the evaluator of the owner of partition 0. */
class Scene {
  readonly plant = new Plant()
  readonly fence: number
  readings: SystemReadings = {}
  isOwner = true
  isLogDown = false
  /** Ends the commands in progress; null: commands end immediately. */
  complete: (() => void) | null = null
  evaluator: SystemEvaluator
  #held: Promise<void> | null = null

  constructor() {
    this.fence = this.plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null }).fence
    this.evaluator = this.restarted()
  }

  restarted(): SystemEvaluator {
    const { plant } = this
    return new SystemEvaluator({
      records: plant.records,
      commands: {
        submit: async (name, payload, { companyId }) => {
          if (this.isLogDown) throw new Error('The log is unavailable')
          const result = plant.result(name, payload, { companyId })
          await this.#held
          return { ok: true, result }
        },
      },
      fences: () => new Map(this.isOwner ? [[0, this.fence]] : []),
      read: async () => this.readings,
      calendarOf: createCalendar,
      clock: () => plant.nowMs,
      logger: pino({ level: 'silent' }),
    })
  }

  addRule(more: object = {}): void {
    const rule = { id: 'r', name: 'Behind', severity: 'warning', condition: { system: 'lag', above: 10 } }
    this.plant.do('alertRule.put', { ...rule, ...more })
  }

  setLag(value: number, isLowerBound = false): void {
    this.readings = { lag: { value, isLowerBound } }
  }

  /** Commands that are sent from now on wait until `complete` is called. */
  holdCommands(): void {
    this.#held = new Promise(resolve => (this.complete = resolve))
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.plant.nowMs += secondMs
      await this.evaluator.tick()
      if (this.complete === null) await this.evaluator.settled()
    }
  }

  get incidents(): readonly IncidentRecord[] {
    return this.plant.records.list('incident', this.plant.companyId)
  }

  get states() {
    return this.incidents.map(({ state, cause }) => ({ state, cause }))
  }
}

describe('SystemEvaluator', () => {
  it('Incidents equal those of a scan over all values, with restarts of the evaluation', async () => {
    const run = async (holds: Holds, rule: RuleSeconds, restarts: readonly number[]): Promise<number> => {
      const scene = new Scene()
      scene.addRule(ruleTimes(rule))
      for (let second = 1; second <= (holds.at(-1)?.[1] ?? 0) + 10; second++) {
        if (restarts.includes(second)) scene.evaluator = scene.restarted()
        scene.setLag(holds.some(([start, end]) => start <= second && second < end) ? 11 : 10)
        await scene.pass(1)
      }
      const found = timesOf(scene.incidents, startMs)
      expect(found).to.deep.equal(scanValues(holds, rule, restarts))
      return found.length
    }
    for (const { holds, rule, incidents } of knownHolds)
      expect(await run(holds, rule, []), 'there are incidents').to.equal(incidents)
    // An incident that has reopened and, because of two restarts, does not end.
    const reopened = [[2, 3], [10, 11], [15, 16]] as const // prettier-ignore
    expect(await run(reopened, { forS: 0, resolveAfterS: 4, quietS: 10 }, [19, 23])).to.equal(1)
    const anyRestarts = fc.array(fc.nat(100), { maxLength: 6 })
    await forAll(
      fc.asyncProperty(anyHolds, anyHoldRule, anyRestarts, async (...drawn) => void (await run(...drawn))),
      { numRuns: 80, shrinks: true },
    )
  })

  it('An incident names its check and value; a rule has the default limit of its check', async () => {
    const scene = new Scene()
    scene.addRule({ condition: { system: 'lag' } })
    scene.setLag(120)
    await scene.pass(2)
    expect(scene.incidents).to.deep.equal([])
    scene.setLag(121.5)
    await scene.pass(2)
    const [incident] = scene.incidents
    expect(incident?.subject).to.deep.equal({ type: 'system', id: 'lag', name: 'Takt' })
    expect(incident?.detail).to.deep.equal({ check: 'lag', value: 121.5 })
    expect(incident?.kind).to.equal('system')
  })

  it('Each rule has its own limit, and the end of a rule ends its incident', async () => {
    const scene = new Scene()
    scene.addRule()
    scene.addRule({ id: 'high', condition: { system: 'lag', above: 60 } })
    scene.addRule({ id: 'disk', condition: { system: 'disk' } })
    scene.setLag(30)
    await scene.pass(2)
    expect(scene.incidents.map(({ ruleId }) => ruleId)).to.deep.equal(['r'])
    scene.addRule({ condition: { system: 'lag', above: 40 } })
    await scene.pass(2)
    expect(scene.states).to.deep.equal([{ state: 'resolved', cause: 'condition' }])
    scene.setLag(70)
    await scene.pass(2)
    scene.addRule({ condition: { system: 'disk' } })
    scene.plant.do('alertRule.delete', { id: 'high' })
    await scene.pass(1)
    expect(scene.states.filter(({ state }) => state === 'open')).to.deep.equal([])
    expect(scene.incidents.filter(({ cause }) => cause === 'rule')).to.have.length(2)
  })

  it('A value that may be greater opens an incident, but ends none', async () => {
    const scene = new Scene()
    scene.addRule()
    scene.setLag(11)
    await scene.pass(2)
    scene.evaluator = scene.restarted()
    scene.setLag(0, true)
    await scene.pass(2)
    expect(scene.states).to.deep.equal([{ state: 'open', cause: null }])
    scene.setLag(0)
    await scene.pass(2)
    expect(scene.states).to.deep.equal([{ state: 'resolved', cause: 'condition' }])
    scene.setLag(11, true)
    await scene.pass(2)
    expect(scene.states).to.deep.include({ state: 'open', cause: null })
  })

  it('An outage of the log, during which no command is accepted, is recorded after it with its times', async () => {
    const scene = new Scene()
    scene.addRule({ condition: { system: 'log' } })
    scene.readings = { log: { value: 0, isLowerBound: false } }
    await scene.pass(1)
    scene.isLogDown = true
    scene.readings = { log: { value: 1, isLowerBound: false } }
    await scene.pass(30)
    scene.isLogDown = false
    scene.readings = { log: { value: 0, isLowerBound: false } }
    await scene.pass(70)
    expect(timesOf(scene.incidents, startMs)).to.deep.equal([{ started: 2, opened: 2, ended: 32, reopened: 0 }])
    expect(scene.incidents[0]?.detail).to.deep.equal({ check: 'log', value: null })
  })

  it('Checks continue while a command waits for the store', async () => {
    const scene = new Scene()
    scene.addRule()
    scene.addRule({ id: 'store', condition: { system: 'store' } })
    scene.readings = { lag: { value: 11, isLowerBound: false }, store: { value: 0, isLowerBound: false } }
    scene.holdCommands()
    await scene.pass(2)
    scene.readings = { lag: { value: 11, isLowerBound: false }, store: { value: 1, isLowerBound: false } }
    await scene.pass(5)
    expect(scene.incidents).to.have.length(1)
    scene.readings = { lag: { value: 11, isLowerBound: false }, store: { value: 0, isLowerBound: false } }
    await scene.pass(1)
    scene.complete?.()
    scene.complete = null
    await scene.evaluator.settled()
    await scene.pass(2)
    const [outage] = timesOf(
      scene.incidents.filter(({ ruleId }) => ruleId === 'store'),
      startMs,
    )
    expect(outage).to.deep.equal({ started: 3, opened: 3, ended: 8, reopened: 0 })
  })

  it('While another process owns the first partition, and without values, nothing opens', async () => {
    const scene = new Scene()
    scene.addRule()
    await scene.pass(2)
    scene.isOwner = false
    scene.setLag(11)
    await scene.pass(2)
    expect(scene.incidents).to.deep.equal([])
    scene.isOwner = true
    await scene.pass(2)
    expect(scene.states).to.deep.equal([{ state: 'open', cause: null }])
  })
})
