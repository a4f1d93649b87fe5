import { expect } from 'chai'
import type { Store } from '../../../../clickhouse/client/store.ts'
import type { Item } from '../../../../api/reports/present/present.ts'
import { ApiError } from '../../../../schema/errors.ts'
import type { MachineRecord } from '../../../../schema/records/machine.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { sample, store, TestPlant } from '../plant-support.ts'
import { type WholeBody, wholeBody } from '../whole-body.ts'
import { asMachineRef } from '../../../../schema/refs.ts'

const hour = 3_600_000
const midnight = Date.parse('2026-03-02T00:00:00.000Z')
const nowMs = midnight + 100 * hour
const range = { start: '2026-03-02T00:00:00Z', end: '2026-03-04T00:00:00Z' }
const data = [{ metric: 'allTime' }, { metric: 'timeInCycle' }]
const [hall, lathes] = ['hall-1', 'lathes']

describe('groups of a production report', () => {
  const database = useFreshDatabase()

  /** Beta is in two groups, Alpha in one, Gamma in none. All are in cycle through the first 12 hours. */
  async function fill(into: Store): Promise<{ plant: TestPlant; alpha: MachineRecord; beta: MachineRecord }> {
    const plant = new TestPlant({ timeZone: 'UTC', startOfDay: '06:00' })
    for (const [i, id] of [hall, lathes].entries()) {
      plant.put('machineGroup', { id, ref: i + 1, companyId: plant.company.id, name: i === 0 ? 'Hall' : 'Lathes' })
    }
    plant.put('schedule', {
      id: 'schedule-1',
      companyId: plant.company.id,
      name: 'Nights',
      versions: [
        {
          effectiveFrom: null,
          shifts: [
            {
              id: 'night',
              ref: 4,
              name: 'Night',
              optional: true,
              start: '22:00',
              end: '10:00',
              days: [1, 2, 3, 4, 5, 6, 7],
            },
          ],
        },
      ],
      exceptions: [],
    })
    const commissionedAt = range.start
    const beta = plant.machine(1, {
      name: 'Beta',
      machineGroupIds: [lathes, hall],
      scheduleId: 'schedule-1',
      commissionedAt,
    })
    const alpha = plant.machine(2, { name: 'Alpha', machineGroupIds: [hall], commissionedAt })
    const gamma = plant.machine(3, { name: 'Gamma', commissionedAt, decommissionedAt: '2026-03-03T00:00:00.000Z' })
    for (const [ref, name] of [
      [1, 'Zoe'],
      [2, 'Adam'],
    ] as const) {
      plant.put('operator', { id: `operator-${ref}`, ref, companyId: plant.company.id, name })
      plant.put('operatorRun', {
        id: `sign-in-${ref}`,
        companyId: plant.company.id,
        machineId: alpha.id,
        operatorId: `operator-${ref}`,
        startAt: '2026-03-02T08:00:00.000Z',
        endAt: '2026-03-02T10:00:00.000Z',
      })
    }
    for (const machine of [alpha, beta, gamma]) {
      const samples = [
        sample(machine, midnight, 'EXECUTION', 'ACTIVE'),
        sample(machine, midnight + 12 * hour, 'EXECUTION', 'READY'),
      ]
      await store(into, plant.documents(machine, samples, midnight, midnight + 101 * hour))
    }
    return { plant, alpha, beta }
  }

  const ask = async (plant: TestPlant, body: object) =>
    wholeBody(await plant.reports(database(), () => nowMs).production(plant.company.id, { ...range, data, ...body }))
  const groupBy = (...names: string[]) => ({ groupBy: names.map(group => ({ group })) })
  /** allTime in hours by id, nested. */
  const outline = (items: WholeBody['items']): unknown => {
    const lines: unknown[] = []
    for (const item of items) {
      if (!isItem(item)) throw new Error('flat')
      const line = [item.entity.id, (item.aggregate['allTime'] ?? 0) / hour]
      lines.push(item.items ? [...line, outline(item.items)] : line)
    }
    return lines
  }

  it('Groups of a report are sorted by name and have entities, and groups without time are omitted', async () => {
    const { plant, alpha, beta } = await fill(database())
    const body = await ask(plant, { ...groupBy('machine'), start: '2026-03-03T00:00:00Z' })
    expect(outline(body.items)).to.deep.equal([
      [alpha.id, 24],
      [beta.id, 24],
    ])
    expect(body.items[0]).to.deep.equal({
      entity: { type: 'machine', id: alpha.id },
      aggregate: { allTime: 24 * hour, timeInCycle: 0 },
    })
    expect(body.entities).to.deep.equal({
      machine: { [alpha.id]: { id: alpha.id, name: 'Alpha' }, [beta.id]: { id: beta.id, name: 'Beta' } },
    })
  })

  it('Shop days are numbered from the one that contains the start of the range, and have their whole length', async () => {
    const { plant } = await fill(database())
    const body = await ask(plant, { ...groupBy('day'), filter: { machine: [] } })
    // Three machines for six hours; then a day of two and 18 hours of one; then 18 hours of two.
    expect(outline(body.items)).to.deep.equal([
      ['0', 18],
      ['1', 66],
      ['2', 36],
    ])
    expect(body.entities['day']?.['0']).to.deep.equal({
      start: '2026-03-01T06:00:00.000Z',
      end: '2026-03-02T06:00:00.000Z',
      shopDate: '2026-03-01T00:00:00.000Z',
    })
  })

  it('A night shift after the start of the day belongs to the next shop day', async () => {
    const { plant, beta } = await fill(database())
    const body = await ask(plant, { ...groupBy('day', 'shift'), filter: { machine: [beta.id] } })
    expect(outline(body.items)).to.deep.equal([
      ['0', 6, [['night', 6]]],
      // 06-10 and 22-06 are night; 10-22 has no shift.
      [
        '1',
        24,
        [
          ['night', 12],
          ['none', 12],
        ],
      ],
      [
        '2',
        18,
        [
          ['night', 6],
          ['none', 12],
        ],
      ],
    ])
    expect(body.entities['shift']).to.deep.equal({
      night: { id: 'night', name: 'Night', scheduleId: 'schedule-1', optional: true },
      none: { id: 'none', name: 'No Shift', virtual: true },
    })
  })

  it('A machine counts in each of its machine groups, and once in the total', async () => {
    const { plant, alpha, beta } = await fill(database())
    const body = await ask(plant, groupBy('machineGroup', 'machine'))
    expect(body.aggregate).to.deep.equal({ allTime: 120 * hour, timeInCycle: 36 * hour })
    expect(outline(body.items)).to.deep.equal([
      [
        hall,
        96,
        [
          [alpha.id, 48],
          [beta.id, 48],
        ],
      ],
      [lathes, 48, [[beta.id, 48]]],
      ['none', 24, [['00000000-0000-4000-8000-000000000003', 24]]],
    ])
    expect(outline((await ask(plant, groupBy('machineGroup'))).items)).to.deep.equal([
      [hall, 96],
      [lathes, 48],
      ['none', 24],
    ])
  })

  it('Only ids of the filter are shown if the filter and the grouping have the same dimension', async () => {
    const { plant } = await fill(database())
    const filtered = await ask(plant, { ...groupBy('machineGroup'), filter: { machineGroup: [lathes, 'none'] } })
    expect(outline(filtered.items)).to.deep.equal([
      [lathes, 48],
      ['none', 24],
    ])
    expect(filtered.aggregate['allTime']).to.equal(72 * hour)
  })

  it('Time shared by two operators counts for each of them', async () => {
    const { plant, alpha } = await fill(database())
    const body = await ask(plant, { ...groupBy('operator', 'machine'), filter: { machine: [alpha.id] } })
    expect(outline(body.items)).to.deep.equal([
      ['operator-2', 2, [[alpha.id, 2]]],
      ['none', 46, [[alpha.id, 46]]],
      ['operator-1', 2, [[alpha.id, 2]]],
    ])
    const one = await ask(plant, { ...groupBy('operator'), filter: { operator: ['operator-1'] } })
    expect(outline(one.items)).to.deep.equal([['operator-1', 2]])
  })

  it('A filter by shift includes only the time of the selected shifts', async () => {
    const { plant } = await fill(database())
    const total = async (ids: string[]) => (await ask(plant, { filter: { shift: ids } })).aggregate['allTime']
    expect(await total(['night'])).to.equal(24 * hour)
    expect(await total(['none'])).to.equal(96 * hour)
    expect(await total(['night', 'none'])).to.equal(120 * hour)
    expect(await total(['of another company'])).to.equal(0)
  })

  it('A production report by hour goes back at most seven dates and returns its clipped range', async () => {
    const { plant, alpha } = await fill(database())
    const body = await ask(plant, {
      ...groupBy('hour'),
      start: '2026-01-01T00:00:00Z',
      filter: { machine: [alpha.id] },
    })
    expect(body.range.start).to.equal('2026-02-25T00:00:00.000Z')
    expect(body.items).to.have.length(48)
    // Before commissioning there is nothing; the index counts from the range's start.
    expect(body.items[0]).to.have.nested.property('entity.id', String(5 * 24))
  })

  it('A flat production report returns its groups as rows', async () => {
    const { plant, beta } = await fill(database())
    const body = await ask(plant, {
      ...groupBy('machine', 'day', 'shift'),
      filter: { machine: [beta.id] },
      flatten: true,
    })
    expect(body.items).to.have.length(5)
    expect(body.items[2]).to.deep.equal({
      machine: 'Beta',
      machineId: beta.id,
      day: '2026-03-02T00:00:00.000Z',
      dayId: '1',
      dayStart: '2026-03-02T06:00:00.000Z',
      dayEnd: '2026-03-03T06:00:00.000Z',
      shift: 'No Shift',
      shiftId: null,
      shiftScheduleId: null,
      shiftOptional: null,
      allTime: 12 * hour,
      timeInCycle: 2 * hour,
    })
    expect(Object.keys(body.entities)).to.deep.equal(['machine', 'day', 'shift'])
  })

  it('A production report includes no time of another company', async () => {
    const { plant } = await fill(database())
    const other = new TestPlant()
    const machine = other.machine(1, { commissionedAt: range.start })
    await store(database(), other.documents(machine, [], midnight, midnight + 101 * hour))
    expect((await ask(plant, {})).aggregate['allTime']).to.equal(120 * hour)
    expect((await ask(other, {})).aggregate['allTime']).to.equal(48 * hour)
    const foreign = await ask(other, { filter: { machine: [plant.records.machineByRef(asMachineRef(2))?.id] } })
    expect(foreign.aggregate['allTime']).to.equal(0)
  })

  it('A production report of an unknown company is rejected', async () => {
    const { plant } = await fill(database())
    const asked = plant.reports(database(), () => nowMs).production('nobody', { ...range, data })
    const error = await asked.then(
      () => null,
      (caught: unknown) => caught,
    )
    expect(error).to.be.instanceOf(ApiError)
  })
})

function isItem(item: WholeBody['items'][number]): item is Item {
  return 'entity' in item
}
