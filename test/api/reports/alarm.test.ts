import { expect } from 'chai'
import { createAlarmIdStore } from '../../../clickhouse/documents/alarm-ids.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { createAssignAlarmIds, assignAlarmIds } from '../../../processors/alarms/assign-alarm-ids.ts'
import { toAlarmInstance } from '../../../schema/alarm-instance.ts'
import { compileAlarm } from '../../../api/reports/compile/alarm.ts'
import { alarmReport } from '../../../api/reports/alarm.ts'
import { sourcesOf } from '../../../api/reports/sources/sources.ts'
import { planAlarm } from '../../../api/reports/plan/alarm.ts'
import { parseAlarm } from '../../../api/reports/request/parse.ts'
import type { HourDocument } from '../../../schema/document.ts'
import { ApiError } from '../../../schema/errors.ts'
import { reportDimensions } from '../../../schema/groupings.ts'
import { eventMetrics } from '../../../schema/event-metrics.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { sample, store, TestPlant, viewOf } from './plant-support.ts'
import { askFor, at, explain, groupBy, midnightMs, outline } from './event-support.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { MachineRef } from '../../../schema/refs.ts'

const nowMs = midnightMs + 72 * hourMs
const data = Object.keys(eventMetrics.alarm).map(metric => ({ metric }))
const counts = [{ metric: 'durationMs' }, { metric: 'recordCount' }]

/** [hour after midnight, level, code, message] */
type Told = readonly [hour: number, value: 'NORMAL' | 'WARNING' | 'FAULT', nativeCode: string, message?: string]

describe('alarm reports', () => {
  const database = useFreshDatabase()

  function documentsOf(plant: TestPlant, machine: MachineRecord, told: readonly Told[], hours = 72): HourDocument[] {
    const samples = told.map(([hour, value, nativeCode, message = '']) => ({
      ...sample(machine, midnightMs + hour * hourMs, 'SYSTEM', value),
      nativeCode,
      message,
    }))
    return plant.documents(machine, samples, midnightMs, midnightMs + hours * hourMs)
  }

  /** Assigns ids to the alarms of the documents, as the registrar does. */
  async function identify(plant: TestPlant, documents: readonly HourDocument[]): Promise<void> {
    const machineIdOf = (ref: MachineRef) => plant.records.machineByRef(ref)?.id ?? ''
    const instances = documents.flatMap(({ machineRef, alarms }) =>
      alarms.map(element =>
        Object.assign(toAlarmInstance(machineRef, element), { machineId: machineIdOf(machineRef) }),
      ),
    )
    const envelope = { id: '', deadlineMs: 0, nowMs: 0, freshIds: [], companyId: null, actor: 'test' }
    const payload = { companyRef: plant.company.ref, instances }
    await createAssignAlarmIds(createAlarmIdStore(database()))([{ ...envelope, name: assignAlarmIds, payload }])
  }

  async function alarmed(
    byMachine: readonly (readonly [fields: Partial<MachineRecord>, told: readonly Told[]])[],
  ): Promise<TestPlant> {
    const plant = new TestPlant()
    for (const [i, name] of ['Hall', 'Mills'].entries())
      plant.put('machineGroup', { id: name.toLowerCase(), ref: i + 1, companyId: plant.company.id, name })
    const documents = byMachine.flatMap(([fields, told], i) =>
      documentsOf(plant, plant.machine(i + 1, { commissionedAt: at(0), ...fields }), told),
    )
    await store(database(), documents)
    await identify(plant, documents)
    return plant
  }

  const ask = (plant: TestPlant, body: object = {}, from: Store = database(), atMs = nowMs) =>
    askFor('alarm', { plant, store: from, nowMs: atMs }, { data, ...body })

  it('Alarm instances are clipped to the range and to buckets, and count in every bucket that they touch', async () => {
    const plant = await alarmed([[{}, [[22, 'FAULT', '1'], [26, 'NORMAL', '1'], [47, 'WARNING', '2']]]]) // prettier-ignore
    const whole = await ask(plant, { ...groupBy('day'), start: at(23) })
    const values = { durationMs: 4 * hourMs, minStartTime: at(23), maxEndTime: at(48), recordCount: 2, machineCount: 1 }
    expect(whole.aggregate).to.deep.equal(values)
    expect(outline(whole.items)).to.deep.equal([
      ['0', hourMs, at(23), at(24), 1, 1],
      ['1', 3 * hourMs, at(24), at(48), 2, 1],
    ])
    const moment = await ask(plant, { data: counts, start: at(23), end: at(23 + 1 / hourMs) })
    expect(moment.aggregate).to.deep.equal({ durationMs: 1, recordCount: 1 })
    expect((await ask(plant, { start: at(30), end: at(31) })).aggregate).to.deep.equal({
      durationMs: 0,
      minStartTime: null,
      maxEndTime: null,
      recordCount: 0,
      machineCount: 0,
    })
  })

  it('An instance that ends exactly at an hour does not count in that hour, and an active one counts up to now', async () => {
    const plant = await alarmed([[{}, [[1.5, 'FAULT', '1'], [3, 'NORMAL', '1'], [4, 'WARNING', '']]]]) // prettier-ignore
    const hours = { data: counts, start: at(0), end: at(5), ...groupBy('hour') }
    expect(outline((await ask(plant, hours)).items)).to.deep.equal([
      ['1', hourMs / 2, 1],
      ['2', hourMs, 1],
      ['4', hourMs, 1],
    ])
    const after = await ask(plant, { data: counts, start: at(3), end: at(4), ...groupBy('state') })
    expect([after.aggregate, after.items]).to.deep.equal([{ durationMs: 0, recordCount: 0 }, []])
    const now = await ask(plant, hours, database(), midnightMs + 4.25 * hourMs)
    expect(now.aggregate).to.deep.equal({ durationMs: 1.75 * hourMs, recordCount: 2 })
  })

  it('Alarms outside the commissioned time of a machine do not count', async () => {
    const fields = { commissionedAt: at(2), decommissionedAt: at(5.5) }
    const plant = await alarmed([[fields, [[1, 'FAULT', '1'], [1.5, 'NORMAL', '1'], [1.75, 'FAULT', '2']]]]) // prettier-ignore
    const { aggregate } = await ask(plant)
    expect(aggregate).to.deep.equal({
      durationMs: 3.5 * hourMs,
      minStartTime: at(2),
      maxEndTime: at(5.5),
      recordCount: 1,
      machineCount: 1,
    })
  })

  const mixed: Parameters<typeof alarmed>[0] = [
    [{ machineGroupIds: ['hall', 'mills'] }, [[1, 'FAULT', 'B', 'hot'], [2, 'WARNING', 'B', 'hot'], [3, 'NORMAL', 'B']]],
    [{ machineGroupIds: ['hall'] }, [[1, 'WARNING', 'A', 'open'], [2, 'NORMAL', 'A'], [5, 'WARNING', 'B', 'hot'], [6, 'NORMAL', '']]],
    [{}, [[1, 'FAULT', 'A', 'open'], [2, 'NORMAL', '']]],
  ] // prettier-ignore

  it('Native codes are sorted by code, message and state, and their entities contain all three', async () => {
    const plant = await alarmed(mixed)
    const { items, entities } = await ask(plant, { data: counts, ...groupBy('nativeCode') })
    const codes = Object.values(entities['nativeCode'] ?? {})
    const ids = outline(items).map(([id]) => String(id))
    expect(Object.keys(entities['nativeCode'] ?? {})).to.have.members(ids)
    const [first, second, third, fourth] = ids
    expect(codes).to.have.deep.members([
      { id: Number(first), nativeCode: 'A', message: 'open', state: 'FAULT' },
      { id: Number(second), nativeCode: 'A', message: 'open', state: 'WARNING' },
      { id: Number(third), nativeCode: 'B', message: 'hot', state: 'FAULT' },
      { id: Number(fourth), nativeCode: 'B', message: 'hot', state: 'WARNING' },
    ])
    expect(outline(items).at(-1)).to.deep.equal([fourth, 2 * hourMs, 2])
    const flat = await ask(plant, { data: counts, flatten: true, ...groupBy('nativeCode', 'state') })
    expect(flat.items[0]).to.deep.equal({
      nativeCode: 'A',
      nativeCodeId: first,
      nativeCodeMessage: 'open',
      nativeCodeState: 'FAULT',
      state: 'FAULT',
      stateId: 'FAULT',
      durationMs: hourMs,
      recordCount: 1,
    })
  })

  it('In an alarm report, reject conditions apply before filters, and a rejected group excludes all its machines', async () => {
    const plant = await alarmed(mixed)
    const count = async (body: object) => (await ask(plant, body)).aggregate['recordCount']
    expect(await count({})).to.equal(5)
    expect(await count({ filter: { machineGroup: ['hall'] } })).to.equal(4)
    expect(await count({ reject: { machineGroup: ['mills'] } })).to.equal(3)
    expect(await count({ filter: { machineGroup: ['hall'] }, reject: { machineGroup: ['mills'] } })).to.equal(2)
    expect(await count({ filter: { machineGroup: ['hall', 'none'] }, reject: { machineGroup: ['hall'] } })).to.equal(1)
    expect(await count({ filter: { state: ['WARNING', 'FAULT'] }, reject: { state: ['FAULT'] } })).to.equal(3)
    expect(await count({ filter: { nativeCode: ['A', 'B'] }, reject: { nativeCode: ['B'] } })).to.equal(2)
    expect(await count({ filter: { nativeCode: ['A'] }, reject: { nativeCode: ['A'] } })).to.equal(0)
    const { items } = await ask(plant, { ...groupBy('nativeCode') })
    const ids = outline(items).map(([id]) => String(id))
    expect(await count({ filter: { nativeCodeId: [ids[3], ids[0]] } })).to.equal(3)
    expect(await count({ reject: { nativeCodeId: [Number(ids[3])] } })).to.equal(3)
    expect(await count({ filter: { nativeCodeId: ids }, reject: { nativeCodeId: [ids[1]] } })).to.equal(4)
    expect(await count({ filter: { nativeCodeId: [`0${String(ids[0])}`, 'x'] } })).to.equal(0)
    const shown = await ask(plant, { filter: { machineGroup: ['mills'] }, ...groupBy('machineGroup') })
    expect(outline(shown.items).map(([id]) => String(id))).to.deep.equal(['mills'])
  })

  it('In an alarm report, machineCount counts each machine once, even across overlapping groups', async () => {
    const plant = await alarmed(mixed)
    const machines = [{ metric: 'machineCount' }]
    const { aggregate, items } = await ask(plant, { data: machines, ...groupBy('machineGroup', 'state') })
    expect(aggregate).to.deep.equal({ machineCount: 3 })
    expect(outline(items)).to.deep.equal([
      ['hall', 2, [['FAULT', 1], ['WARNING', 2]]],
      ['mills', 1, [['FAULT', 1], ['WARNING', 1]]],
      ['none', 1, [['FAULT', 1]]],
    ]) // prettier-ignore
  })

  it('An alarm report by hour covers at most the last week', async () => {
    const plant = await alarmed([[{}, [[1, 'FAULT', '1']]]])
    const { range } = await ask(plant, { start: '2026-01-01T00:00:00Z', data: counts, ...groupBy('hour') })
    expect(range).to.deep.equal({ start: at(48 - 168), end: at(48) })
  })

  it('An alarm report by native code waits for the ids of the codes, and receives 503 if they are missing', async () => {
    const plant = new TestPlant()
    const documents = documentsOf(plant, plant.machine(1, { commissionedAt: at(0) }), [[1, 'FAULT', '1']])
    await store(database(), documents)
    const refused: unknown = await ask(plant, groupBy('nativeCode')).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(ApiError)
    expect(refused).to.include({ status: 503 })
    expect((await ask(plant)).aggregate['recordCount'], 'who asks for no ids needs none').to.equal(1)
    let asked = 0
    const slow: Store = {
      ...database(),
      numbers: async (...args) => {
        if (++asked === 3) await identify(plant, documents)
        return database().numbers(...args)
      },
    }
    expect((await ask(plant, groupBy('nativeCode'), slow)).items).to.have.length(1)
  })

  it('An alarm report continues the alarms of the last document if newer documents are missing', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(1, { commissionedAt: at(0) })
    const documents = documentsOf(plant, machine, [[1.5, 'FAULT', '1', 'hot']], 4)
    await store(database(), documents)
    await identify(plant, documents)
    const { aggregate, items } = await ask(
      plant,
      { data: counts, ...groupBy('nativeCode') },
      database(),
      midnightMs + 5.5 * hourMs,
    )
    expect(aggregate).to.deep.equal({ durationMs: 4 * hourMs, recordCount: 1 })
    expect(items).to.have.length(1)
  })

  it('Every grouping and filter of alarm reports compiles to SQL that ClickHouse accepts, with the company at every table', async () => {
    const plant = await alarmed(mixed)
    const filter = { ...filtersOf(['x']), state: ['FAULT'], nativeCodeId: ['7'] }
    for (const group of reportDimensions.alarm.groupings) {
      for (const conditions of [{}, { filter }, { reject: filter }]) {
        const body = { data, start: at(0), end: at(48), ...groupBy(group), ...conditions }
        const plan = planAlarm(parseAlarm(body), viewOf(plant, nowMs))
        expect(
          await explain(database(), compileAlarm(plan, sourcesOf(plan, alarmReport.sources, {})).sql, plan.companyRef),
          group,
        ).not.to.be.empty
      }
    }
  })
})

function filtersOf(values: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(reportDimensions.alarm.filters.map(name => [name, values]))
}
