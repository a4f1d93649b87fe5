import { expect } from 'chai'
import * as fc from 'fast-check'
import { createAlarmIdStore } from '../../../../clickhouse/documents/alarm-ids.ts'
import type { Store } from '../../../../clickhouse/client/store.ts'
import { createAssignAlarmIds, assignAlarmIds } from '../../../../processors/alarms/assign-alarm-ids.ts'
import { toAlarmInstance } from '../../../../schema/alarm-instance.ts'
import type { AlarmInstanceRow, AlarmInstancesResponse } from '../../../../schema/requests/alarm-instances.ts'
import { hourMs, minuteMs } from '../../../../shared/time/units.ts'
import type { HourDocument } from '../../../../schema/document.ts'
import { ApiError } from '../../../../schema/errors.ts'
import { reportDimensions } from '../../../../schema/groupings.ts'
import type { MachineRecord } from '../../../../schema/records/machine.ts'
import type { Sample } from '../../../../schema/sample.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { sample, store as storeDocuments, TestPlant } from '../plant-support.ts'

const startMs = Date.UTC(2026, 2, 2, 6)

describe('pages of alarm instances', () => {
  const store = useFreshDatabase()

  /** Stores the documents and assigns ids to their started instances. */
  async function see(plant: TestPlant, documents: readonly HourDocument[], nowMs = Infinity): Promise<void> {
    await storeDocuments(store(), documents)
    const instances = documents.flatMap(({ machineRef, alarms }) =>
      alarms.map(element => ({
        ...toAlarmInstance(machineRef, element),
        machineId: plant.records.machineByRef(machineRef)?.id ?? '',
      })),
    )
    const payload = { companyRef: plant.company.ref, instances: instances.filter(each => each.startMs <= nowMs) }
    const envelope = { id: '', deadlineMs: 0, nowMs: 0, freshIds: [], companyId: null, actor: 'test' }
    await createAssignAlarmIds(createAlarmIdStore(store()))([{ ...envelope, name: assignAlarmIds, payload }])
  }

  const page = async (
    plant: TestPlant,
    nowMs: number,
    body: object,
    from: Store = store(),
  ): Promise<AlarmInstancesResponse> => {
    const reports = plant.reports(from, () => nowMs)
    try {
      const answer = await reports.alarmInstances(plant.company.id, { start: iso(0), ...body })
      return answer
    } finally {
      reports.stop()
    }
  }

  it('An alarm instance over many hours is one row with its end', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(11)
    const endMs = startMs + 49 * hourMs + 5
    const samples = [
      condition(machine, startMs + 7, 'FAULT', { nativeCode: '1', message: 'hot' }),
      condition(machine, startMs + 30 * hourMs, 'WARNING', { nativeCode: '2' }),
      condition(machine, endMs, 'NORMAL', { nativeCode: '1' }),
    ]
    await see(plant, plant.documents(machine, samples, startMs, startMs + 60 * hourMs))
    const nowMs = startMs + 55 * hourMs
    const answer = await page(plant, nowMs, {})
    expect(answer).to.deep.equal({
      entities: { machine: { [machine.id]: { id: machine.id, name: 'Machine 11' } } },
      range: { start: iso(0), limit: 200, direction: 'ASC', startId: null },
      instances: [
        row(machine, { alarmId: 1, startMs: startMs + 7, endMs, nativeCode: '1', message: 'hot' }),
        row(machine, { alarmId: 2, startMs: startMs + 30 * hourMs, nowMs, nativeCode: '2', state: 'WARNING' }),
      ],
    })
    const byId = await page(plant, nowMs, { start: null, startId: 1 })
    expect(byId.range).to.deep.equal({ start: null, limit: 200, direction: 'ASC', startId: 1 })
    expect(byId.instances).to.deep.equal(answer.instances.slice(1))
  })

  it('The ends of long alarm instances are found in few queries', async () => {
    const hours = 400
    const plant = new TestPlant()
    const machines = Array.from({ length: 3 }, (_, index) => plant.machine(20 + index))
    const lengths = new Map<MachineRecord, readonly number[]>()
    for (const machine of machines) {
      const [ms] = fc.sample(fc.array(fc.integer({ min: 1, max: hours * hourMs }), { minLength: 8, maxLength: 8 }), 1)
      const rounded = (ms ?? []).map((each, i) => (i % 3 === 0 ? Math.ceil(each / hourMs) * hourMs : each))
      lengths.set(machine, rounded)
      const samples = rounded.flatMap((lengthMs, i) => [
        condition(machine, startMs + i, 'FAULT', { nativeCode: String(i) }),
        condition(machine, startMs + i + lengthMs, 'NORMAL', { nativeCode: String(i) }),
      ])
      await see(plant, plant.documents(machine, samples, startMs, startMs + hours * hourMs))
    }
    const nowMs = startMs + hours * hourMs - 1
    let looks = 0
    const counting: Store = {
      ...store(),
      queryColumns: (...asked) => {
        looks++
        return store().queryColumns(...asked)
      },
    }
    const { instances } = await page(plant, nowMs, {}, counting)
    expect(instances).to.have.length(24)
    for (const { machineId, nativeCode, durationMs } of instances) {
      const machine = machines.find(({ id }) => id === machineId)
      const lengthMs = (machine && lengths.get(machine))?.[Number(nativeCode)] ?? 0
      expect(durationMs).to.equal(Math.min(lengthMs, nowMs - startMs - Number(nativeCode)))
    }
    expect(looks).to.be.lessThan(8)
  })

  it('An alarm instance after now is omitted, and one whose end is after now is active', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(31)
    const samples = [
      condition(machine, startMs + minuteMs, 'FAULT'),
      condition(machine, startMs + 10 * minuteMs, 'WARNING'),
      condition(machine, startMs + 20 * minuteMs, 'NORMAL'),
    ]
    await see(plant, plant.documents(machine, samples, startMs, startMs + hourMs))
    const at = async (nowMs: number) => (await page(plant, nowMs, {})).instances
    expect(await at(startMs)).to.deep.equal([])
    expect(await at(startMs + 5 * minuteMs)).to.deep.equal([
      row(machine, { alarmId: 1, startMs: startMs + minuteMs, nowMs: startMs + 5 * minuteMs }),
    ])
    expect(await at(startMs + hourMs)).to.deep.equal([
      row(machine, { alarmId: 1, startMs: startMs + minuteMs, endMs: startMs + 10 * minuteMs }),
      row(machine, { alarmId: 2, startMs: startMs + 10 * minuteMs, endMs: startMs + 20 * minuteMs, state: 'WARNING' }),
    ])
  })

  it('Alarm instances outside the commissioned time of a machine are omitted, and others are clipped to it', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(41, {
      commissionedAt: iso(startMs + 3 * hourMs + 5),
      decommissionedAt: iso(startMs + 6 * hourMs + 5),
    })
    const samples = [
      condition(machine, startMs, 'FAULT', { nativeCode: 'before' }),
      condition(machine, startMs + hourMs, 'NORMAL', { nativeCode: 'before' }),
      condition(machine, startMs + hourMs, 'FAULT', { nativeCode: 'into' }),
      condition(machine, startMs + 4 * hourMs, 'NORMAL', { nativeCode: 'into' }),
      condition(machine, startMs + 5 * hourMs, 'FAULT', { nativeCode: 'out' }),
      condition(machine, startMs + 7 * hourMs, 'NORMAL', { nativeCode: 'out' }),
      condition(machine, startMs + 7 * hourMs, 'FAULT', { nativeCode: 'after' }),
    ]
    await see(plant, plant.documents(machine, samples, startMs, startMs + 9 * hourMs))
    const { instances } = await page(plant, startMs + 9 * hourMs - 1, {})
    expect(instances).to.deep.equal([
      row(machine, { alarmId: 1, startMs: startMs + hourMs, endMs: startMs + 4 * hourMs, nativeCode: 'into' }),
      row(machine, { alarmId: 2, startMs: startMs + 5 * hourMs, endMs: startMs + 6 * hourMs + 5, nativeCode: 'out' }),
    ])
  })

  it('Alarm instances match the filter, and the reject conditions take precedence', async () => {
    const plant = new TestPlant()
    const group = { id: 'g', ref: 1, companyId: plant.company.id, name: 'Mills' }
    plant.put('machineGroup', group)
    const mill = plant.machine(51, { machineGroupIds: ['g'] })
    const lathe = plant.machine(52)
    for (const machine of [mill, lathe]) {
      const samples = ['1', '2'].flatMap((nativeCode, i) => [
        condition(machine, startMs + i, 'WARNING', { nativeCode, message: 'a' }),
        condition(machine, startMs + 10 + i, 'FAULT', { nativeCode, message: 'b' }),
        condition(machine, startMs + 20 + i, 'NORMAL', { nativeCode }),
        condition(machine, startMs + 30 + i, 'FAULT', { nativeCode, message: 'a' }),
      ])
      await see(plant, plant.documents(machine, samples, startMs, startMs + hourMs))
    }
    const nowMs = startMs + hourMs - 1
    const all = (await page(plant, nowMs, {})).instances
    expect(all).to.have.length(12)
    // Native codes have ids in the order of their first occurrence.
    const natives = ['1WARNINGa', '2WARNINGa', '1FAULTb', '2FAULTb', '1FAULTa', '2FAULTa']
    const groupsOf = ({ machineId }: AlarmInstanceRow) => [machineId === mill.id ? 'g' : 'none']
    const conditions = {
      machine: { of: ({ machineId }: AlarmInstanceRow) => [machineId], values: [mill.id.toUpperCase(), lathe.id, 'x'] },
      machineGroup: { of: groupsOf, values: ['g', 'none', 'x'] },
      state: { of: ({ state }: AlarmInstanceRow) => [state], values: ['WARNING', 'FAULT'] },
      nativeCode: { of: ({ nativeCode }: AlarmInstanceRow) => [nativeCode], values: ['1', '2', "x' OR 1=1 --"] },
      nativeCodeId: {
        of: ({ nativeCode, state, message }: AlarmInstanceRow) => [
          `${natives.indexOf(`${nativeCode}${state}${message}`) + 1}`,
        ],
        values: ['1', '2', '3', '4', '5', '6', '7', 'x'],
      },
    }
    const names = reportDimensions.alarm.filters
    const anyConditions = fc.record(
      Object.fromEntries(names.map(name => [name, fc.subarray(conditions[name].values)])),
      { requiredKeys: [] },
    )
    const has = (name: keyof typeof conditions, each: AlarmInstanceRow, values: readonly string[]) =>
      conditions[name].of(each).some(value => values.some(of => of.toLowerCase() === value.toLowerCase()))
    await fc.assert(
      fc.asyncProperty(anyConditions, anyConditions, fc.integer({ min: 1, max: 13 }), async (filter, reject, limit) => {
        const kept = all.filter(
          each =>
            names.every(name => (filter[name] ?? []).length === 0 || has(name, each, filter[name] ?? [])) &&
            !names.some(name => has(name, each, reject[name] ?? [])),
        )
        const { instances } = await page(plant, nowMs, { filter, reject, limit })
        expect(instances).to.deep.equal(kept.slice(0, limit))
        const last = await page(plant, nowMs, {
          startId: 2 ** 31 - 1,
          orderBy: 'id',
          start: null,
          direction: 'DESC',
          filter,
          reject,
          limit,
        })
        const byId = kept.toSorted((a, b) => b.alarmId - a.alarmId)
        expect(last.instances).to.deep.equal(byId.slice(0, limit))
      }),
      { numRuns: 40 },
    )
  })

  it('Ids of deleted alarm instances are skipped, regardless of their number', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(61)
    const many = Array.from({ length: 700 }, (_, i) => [
      condition(machine, startMs + i * 1000, 'FAULT', { nativeCode: String(i) }),
      condition(machine, startMs + i * 1000 + 500, 'NORMAL'),
    ]).flat()
    await see(plant, plant.documents(machine, many, startMs, startMs + hourMs))
    const few = many.filter(({ nativeCode }) => nativeCode === '' || Number(nativeCode) % 100 === 99)
    await storeDocuments(store(), plant.documents(machine, few, startMs, startMs + hourMs), 2n)
    const nowMs = startMs + hourMs - 1
    const { instances } = await page(plant, nowMs, { limit: 5 })
    expect(instances.map(({ alarmId }) => alarmId)).to.deep.equal([100, 200, 300, 400, 500])
    const rest = await page(plant, nowMs, { start: null, startId: 500, limit: 5 })
    expect(rest.instances.map(({ alarmId }) => alarmId)).to.deep.equal([600, 700])
    const afterGone = await page(plant, nowMs, { start: null, startId: 450, limit: 2 })
    expect(afterGone.instances.map(({ alarmId }) => alarmId)).to.deep.equal([500, 600])
  })

  it('Pages by start and by id contain each alarm instance once, including those that were found late', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(65)
    const codes = ['early', 'same', 'late one']
    const samplesOf = (at: readonly number[]) =>
      at.flatMap(minute =>
        codes
          .map(nativeCode => condition(machine, startMs + minute * minuteMs, 'FAULT', { nativeCode }))
          .concat(condition(machine, startMs + (minute + 1) * minuteMs, 'NORMAL')),
      )
    await see(plant, plant.documents(machine, samplesOf([10, 20, 30]), startMs, startMs + hourMs))
    // Ids 10 to 12 start before and between the others.
    await storeDocuments(store(), plant.documents(machine, samplesOf([5, 10, 20, 30]), startMs, startMs + hourMs), 2n)
    await see(plant, plant.documents(machine, samplesOf([5, 10, 20, 30]), startMs, startMs + hourMs))
    const nowMs = startMs + hourMs - 1
    const all = (await page(plant, nowMs, {})).instances.map(({ alarmId }) => alarmId)
    expect(all).to.deep.equal([10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const walk = async (direction: 'ASC' | 'DESC', limit: number) => {
      const met: number[] = []
      let from: object = { start: direction === 'ASC' ? iso(0) : iso(nowMs) }
      for (;;) {
        const { instances } = await page(plant, nowMs, { start: null, ...from, direction, limit })
        met.push(...instances.map(({ alarmId }) => alarmId))
        if (instances.length < limit) return met
        from = { startId: met.at(-1) }
      }
    }
    for (const limit of [1, 2, 5, 12]) {
      expect(await walk('ASC', limit)).to.deep.equal(all)
      expect(await walk('DESC', limit)).to.deep.equal(all.toReversed())
    }
    const byId = await page(plant, nowMs, { start: null, startId: 0, orderBy: 'id' })
    expect(byId.instances.map(({ alarmId }) => alarmId)).to.deep.equal(all.toSorted((a, b) => a - b))
    const error: unknown = await page(plant, nowMs, { start: null, startId: 13 }).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ApiError).with.property('status', 400)
  })

  it('A request for alarm instances receives 503 if documents of an active one are missing for more than two hours', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(71)
    const samples = [condition(machine, startMs, 'FAULT')]
    await see(plant, plant.documents(machine, samples, startMs, startMs + 10 * hourMs))
    const lately = startMs + 12 * hourMs - 1
    expect((await page(plant, lately, {})).instances).to.deep.equal([
      row(machine, { alarmId: 1, startMs, nowMs: lately }),
    ])
    const error: unknown = await page(plant, startMs + 13 * hourMs, {}).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ApiError).with.property('status', 503)
  })

  it('Alarm instances contain none of another company', async () => {
    const [one, other] = [new TestPlant(), new TestPlant()]
    for (const [plant, ref, nativeCode] of [
      [one, 81, 'mine'],
      [other, 82, 'theirs'],
    ] as const) {
      const machine = plant.machine(ref)
      await see(
        plant,
        plant.documents(machine, [condition(machine, startMs, 'FAULT', { nativeCode })], startMs, startMs + hourMs),
      )
    }
    const nowMs = startMs + hourMs - 1
    for (const body of [
      {},
      { start: null, startId: 0, orderBy: 'id' },
      { filter: { machine: ['00000000-0000-4000-8000-000000000082'] } },
    ]) {
      const { instances, entities } = await page(one, nowMs, body)
      expect(JSON.stringify({ instances, entities })).not.to.include('theirs').and.not.to.include('Machine 82')
    }
    const [mine] = (await page(one, nowMs, {})).instances
    const [theirs] = (await page(other, nowMs, {})).instances
    expect([mine?.alarmId, theirs?.alarmId]).to.deep.equal([1, 1])
    expect([mine?.nativeCode, theirs?.nativeCode]).to.deep.equal(['mine', 'theirs'])
  })
})

function condition(
  machine: MachineRecord,
  atMs: number,
  value: string,
  of: Partial<Pick<Sample, 'nativeCode' | 'message'>> = {},
): Sample {
  return { ...sample(machine, atMs, 'SYSTEM', value), ...of }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function row(
  machine: MachineRecord,
  of: Partial<AlarmInstanceRow> & { readonly startMs: number; readonly endMs?: number; readonly nowMs?: number },
): AlarmInstanceRow {
  const { startMs: from, endMs = null, nowMs = 0, alarmId = 0, state = 'FAULT', nativeCode = '', message = '' } = of
  return {
    alarmId,
    durationMs: (endMs ?? nowMs) - from,
    state,
    machineId: machine.id,
    nativeCode,
    message,
    start: iso(from),
    end: endMs === null ? null : iso(endMs),
  }
}
