import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Store } from '../../../clickhouse/client/store.ts'
import { createFirstSeenWriter } from '../../../clickhouse/samples/first-seen.ts'
import { createSampleWriter, setSampleRetention } from '../../../clickhouse/samples/samples.ts'
import { type AlertRuleRecord, defaultAlertRule } from '../../../schema/records/alert-rule.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { omittedFields } from '../../../schema/sample.ts'
import { dayMs, minuteMs } from '../../../shared/time/units.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { naiveSpans } from '../../support/alerting/naive-spans.ts'
import { plantDocuments, plantSchedule, plantSettings } from '../../support/alerting/plant-documents.ts'
import { toMinutes } from '../../support/alerting/plant-spans.ts'
import {
  anyPlant,
  anyRule,
  type Plant,
  plantMinutes,
  type PlantRule,
  toMs,
} from '../../support/alerting/random-plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { store, TestPlant } from './plant-support.ts'

const anyTrial = fc.record({
  plants: fc.array(anyPlant, { minLength: 3, maxLength: 3 }),
  rule: anyRule,
  range: fc
    .tuple(fc.integer({ min: 0, max: plantMinutes - 2 }), fc.integer({ min: 1, max: plantMinutes }))
    .map(([start, minutes]) => ({ start, end: Math.min(start + minutes, plantMinutes) })),
})

describe('trials of alert rules', () => {
  const database = useFreshDatabase()
  before(() => setSampleRetention(database(), 20_000))

  async function addMachine(plant: TestPlant, ref: number, of: Plant): Promise<MachineRecord> {
    const { samples, decommissioned } = of
    const machine = plant.machine(ref, {
      commissionedAt: ref % 2 === 0 ? isoText(toMs(0)) : null,
      decommissionedAt: decommissioned === null ? null : isoText(toMs(decommissioned)),
    })
    const keys = { companyRef: plant.company.ref, machineRef: machine.ref }
    await store(
      database(),
      plantDocuments(of).map(document => Object.assign({}, document, keys)),
    )
    const rows = samples
      .filter(({ kind }) => kind !== 'heartbeat')
      .map(({ at, kind }) => ({
        companyRef: plant.company.ref,
        sample: {
          ...omittedFields,
          machineRef: machine.ref,
          atUs: toMs(at) * 1000,
          key: kind,
          type: 'X',
          subtype: '',
          category: 'EVENT' as const,
          value: '',
        },
      }))
    await createSampleWriter(database()).write(rows)
    const seen = samples.map(({ at }) => ({ machineRef: machine.ref, ms: toMs(at) }))
    await createFirstSeenWriter(database())(plant.company.ref, seen)
    return machine
  }

  function aRule(
    each: Pick<PlantRule, 'condition'> & Partial<PlantRule>,
    more: Partial<Omit<AlertRuleRecord, 'condition'>> = {},
  ) {
    const { when = defaultAlertRule.when, forMinutes = 0, resolveAfterMinutes = 0, quietMinutes = 0 } = each
    return {
      ...defaultAlertRule,
      id: 'trial',
      companyId: 'any',
      name: 'Trial',
      severity: 'info' as const,
      subject: { machineIds: [], machineGroupIds: [], connectorIds: [] },
      condition: each.condition,
      when,
      forMs: forMinutes * minuteMs,
      resolveAfterMs: resolveAfterMinutes * minuteMs,
      quietMs: quietMinutes * minuteMs,
      activeFrom: isoText(toMs(0)),
      ...more,
      template: null,
    }
  }

  async function tryRule(
    plant: TestPlant,
    rule: ReturnType<typeof aRule>,
    start: number,
    end: number,
    nowMs = toMs(1e5),
  ) {
    const reports = plant.reports(database(), () => nowMs)
    const range = { startMs: toMs(start), endMs: toMs(end) }
    return reports.tryRule(plant.company.id, { rule, range }).finally(() => reports.stop())
  }

  const minuteOf = (instant: string) => toMinutes(Date.parse(instant))

  it('The incidents of random machines equal those of a scan over every minute', () =>
    forAll(
      fc.asyncProperty(anyTrial, async ({ plants, rule, range: { start, end } }) => {
        const plant = new TestPlant(plantSettings)
        plant.put('schedule', { ...plantSchedule, companyId: plant.company.id })
        const machines: MachineRecord[] = []
        for (const [index, each] of plants.entries()) machines.push(await addMachine(plant, index + 1, each))
        const { incidents, hasMore, untriedMachines } = await tryRule(plant, aRule(rule), start, end)
        const found = incidents.map(({ subject, startedAt, openedAt, endedAt }) => [
          subject.id,
          ...[startedAt, openedAt].map(minuteOf),
          endedAt === null ? null : minuteOf(endedAt),
        ])
        const expected = machines.flatMap(({ id }, index) => {
          const ofMachine = plants[index]
          if (!ofMachine) return []
          return naiveSpans(ofMachine, { ...rule, activeFrom: -1e6 }, end)
            .filter(({ opened }) => opened >= start)
            .map(({ started, opened, end: ended }) => [id, started, opened, ended])
        })
        expect(found).to.have.deep.members(expected)
        const openings = incidents.map(({ openedAt }) => openedAt)
        expect(openings).to.deep.equal(openings.toSorted())
        expect([hasMore, untriedMachines]).to.deep.equal([false, 0])
      }),
      { numRuns: 10, shrinks: true },
    ))

  const stopped = (...samples: readonly (readonly [number, string])[]): Plant => ({
    samples: samples.map(([at, value]) => ({ at, kind: 'execution', value })),
    annotations: [],
    run: { start: 1e9, production: 1e9, end: 1e9 },
    staleMinutes: null,
    decommissioned: null,
  })
  const inactive = { condition: { status: ['INACTIVE' as const] } }

  it('Machines of the subject only are tried, and the targets of steps are named', async () => {
    const plant = new TestPlant(plantSettings)
    const machine = await addMachine(plant, 1, stopped([10, 'READY'], [100, 'ACTIVE']))
    await addMachine(plant, 2, stopped([10, 'READY'], [100, 'ACTIVE']))
    const steps = [
      { afterMs: 0, until: 'acknowledged' as const, targets: ['a', 'b'], repeatMs: null },
      { afterMs: 20 * minuteMs, until: 'resolved' as const, targets: ['c'], repeatMs: 60 * minuteMs },
    ]
    const subject = { machineIds: [machine.id], machineGroupIds: [], connectorIds: [] }
    const { incidents } = await tryRule(plant, aRule({ ...inactive, forMinutes: 5 }, { steps, subject }), 0, 600)
    expect(incidents).to.deep.equal([
      {
        subject: { type: 'machine', id: machine.id, name: machine.name },
        startedAt: isoText(toMs(10)),
        openedAt: isoText(toMs(15)),
        endedAt: isoText(toMs(100)),
        notices: [
          { at: isoText(toMs(15)), step: 1, targetId: 'a' },
          { at: isoText(toMs(15)), step: 1, targetId: 'b' },
          { at: isoText(toMs(35)), step: 2, targetId: 'c' },
          { at: isoText(toMs(95)), step: 2, targetId: 'c' },
        ],
      },
    ])
  })

  it('The histories of many machines are read two parts at a time', async () => {
    const plant = new TestPlant(plantSettings)
    const machines: MachineRecord[] = []
    for (let ref = 1; ref <= 9; ref++)
      machines.push(await addMachine(plant, ref, stopped([10, 'READY'], [100, 'ACTIVE'])))
    let [running, most] = [0, 0]
    const counting = withReads(database(), async read => {
      most = Math.max(most, ++running)
      return read().finally(() => running--)
    })
    const reports = plant.reports(counting, () => toMs(1e5))
    const range = { startMs: toMs(0), endMs: toMs(0) + 31 * dayMs }
    const { incidents } = await reports
      .tryRule(plant.company.id, { rule: aRule(inactive), range })
      .finally(() => reports.stop())
    expect(incidents.map(({ subject }) => subject.id)).to.have.members(machines.map(({ id }) => id))
    expect(most).to.equal(2)
  })

  it('A trial that takes too long has the incidents of the machines that it tried, and counts the others', async () => {
    const plant = new TestPlant(plantSettings)
    for (let ref = 1; ref <= 9; ref++) await addMachine(plant, ref, stopped([10, 'READY'], [100, 'ACTIVE']))
    let elapsedMs = 0
    const slow = withReads(database(), read => {
      elapsedMs += 11_000
      return read()
    })
    const reports = plant.reports(slow, () => toMs(1e5), { monotonicMs: () => elapsedMs })
    const range = { startMs: toMs(0), endMs: toMs(0) + 31 * dayMs }
    const { incidents, untriedMachines } = await reports
      .tryRule(plant.company.id, { rule: aRule(inactive), range })
      .finally(() => reports.stop())
    expect(untriedMachines).to.be.within(1, 8)
    expect(incidents).to.have.length(9 - untriedMachines)
  })

  it('A trial that is aborted has the incidents of the machines that it tried, and counts the others', async () => {
    const plant = new TestPlant(plantSettings)
    for (let ref = 1; ref <= 9; ref++) await addMachine(plant, ref, stopped([10, 'READY'], [100, 'ACTIVE']))
    const aborting = new AbortController()
    let reads = 0
    const stopping = withReads(database(), async read => {
      const result = await read()
      if (++reads === 2) aborting.abort()
      return result
    })
    const reports = plant.reports(stopping, () => toMs(1e5))
    const range = { startMs: toMs(0), endMs: toMs(0) + 31 * dayMs }
    const { incidents, untriedMachines } = await reports
      .tryRule(plant.company.id, { rule: aRule(inactive), range }, { signal: aborting.signal })
      .finally(() => reports.stop())
    expect(untriedMachines).to.be.within(1, 8)
    expect(incidents).to.have.length(9 - untriedMachines)
  })

  it('Time after now, and after the last document, is not known: the condition still holds', async () => {
    const plant = new TestPlant(plantSettings)
    await addMachine(plant, 1, stopped([10, 'READY'], [100, 'ACTIVE']))
    const endedAt = async (end: number, nowMs?: number) =>
      (await tryRule(plant, aRule(inactive), 0, end, nowMs)).incidents.map(each => each.endedAt)
    expect(await endedAt(600)).to.deep.equal([isoText(toMs(100))])
    expect(await endedAt(50)).to.deep.equal([null])
    expect(await endedAt(600, toMs(50))).to.deep.equal([null])
    expect(await endedAt(600, toMs(5))).to.deep.equal([])
    const other = new TestPlant(plantSettings)
    await addMachine(other, 1, stopped([10, 'READY']))
    const after = await tryRule(other, aRule(inactive), 0, 2 * plantMinutes)
    expect(after.incidents.map(each => each.endedAt)).to.deep.equal([null])
  })

  it('A condition that holds since long before the range opens at its time, and only then', async () => {
    const plant = new TestPlant(plantSettings)
    await addMachine(plant, 1, stopped([10, 'READY'], [4_000, 'ACTIVE']))
    const opened = async (start: number, forMs: number) =>
      (await tryRule(plant, aRule(inactive, { forMs }), start, plantMinutes)).incidents.map(
        ({ startedAt, openedAt }) => [minuteOf(startedAt), minuteOf(openedAt)],
      )
    expect(await opened(3_000, 2 * dayMs)).to.deep.equal([])
    expect(await opened(2_000, 2 * dayMs)).to.deep.equal([[10, 2_890]])
    expect(await opened(2_891, 2 * dayMs)).to.deep.equal([])
  })
})

/** The store, with `each` around its reads of columns. */
function withReads(store: Store, each: <T>(read: () => Promise<T>) => Promise<T>): Store {
  const queryColumns: Store['queryColumns'] = (...of) => each(() => store.queryColumns(...of))
  return new Proxy(store, {
    get: (target, name): unknown => {
      if (name === 'queryColumns') return queryColumns
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
