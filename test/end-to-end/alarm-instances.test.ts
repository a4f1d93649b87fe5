import { expect } from 'chai'
import * as fc from 'fast-check'
import type { AlarmInstanceRow } from '../../schema/requests/alarm-instances.ts'
import { oracleAlarms, type OraclePlant } from '../oracle/oracle.ts'
import { arbitraryPlant } from '../oracle/plant.ts'
import type { TestService } from '../support/service.ts'
import { forAll } from '../support/for-all.ts'
import { alarmPage, pageById, pageByStart, withoutId } from './alarm-pages.ts'
import { changeTo, postSamples, startPlant, withSettingsOf } from './plant-service.ts'

const plants = 2
const batchSize = fc.integer({ min: 1, max: 400 })
const everything = { start: '1970-01-01T00:00:00.000Z' }

describe('alarm instances of random plants', function () {
  this.timeout(3_600_000)

  it('Alarm instances equal a naive recomputation, each with one id, in any order and page size', () =>
    forAll(
      fc.asyncProperty(arbitraryPlant(), batchSize, fc.integer({ min: 1, max: 30 }), async (plant, size, limit) => {
        const service = await startPlant(plant)
        try {
          await postSamples(service, plant.samples, size)
          await service.settled()
          service.setClock(plant.nowMs)
          await compare(service, plant, limit)
        } finally {
          await service.stop()
        }
      }),
      { numRuns: plants },
    ))

  it('Alarm instances keep their ids after all documents are recomputed', () =>
    forAll(
      fc.asyncProperty(arbitraryPlant(), arbitraryPlant(), batchSize, async (plant, other, size) => {
        const service = await startPlant(withSettingsOf(plant, other))
        try {
          await postSamples(service, plant.samples, size)
          await service.settled()
          const before = idsOf(await pageById(service, { limit: 200 }))
          await changeTo(service, plant)
          await service.settled()
          const after = idsOf(await pageById(service, { limit: 200 }))
          for (const [instance, id] of after) if (before.has(instance)) expect(before.get(instance)).to.equal(id)
          service.setClock(plant.nowMs)
          await compare(service, plant, 17)
        } finally {
          await service.stop()
        }
      }),
      { numRuns: plants },
    ))

  it('A client that pages by id or start gets each alarm instance exactly once while new ones arrive', () =>
    forAll(
      fc.asyncProperty(arbitraryPlant(), fc.integer({ min: 1, max: 5 }), async (plant, limit) => {
        const service = await startPlant(plant)
        try {
          const half = Math.floor(plant.samples.length / 2)
          await postSamples(service, plant.samples.slice(0, half), 400)
          await service.settled()
          const there = (await pageById(service, { limit: 200 })).map(({ alarmId }) => alarmId)
          const rest = plant.samples.slice(half)
          const between = async () => {
            const some = rest.splice(0, Math.ceil(plant.samples.length / 10))
            if (some.length > 0) await postSamples(service, some, 400)
          }
          const met = await pageById(service, { limit, between })
          const byStartThen = await pageByStart(service, { ...everything, limit, between })
          expect(byStartThen).to.have.length(new Set(byStartThen.map(({ alarmId }) => alarmId)).size)
          const ids = met.map(({ alarmId }) => alarmId)
          expect(new Set(ids)).to.have.property('size', ids.length)
          expect(ids).to.deep.equal(ids.toSorted((a, b) => a - b))
          await postSamples(service, rest, 400)
          await service.settled()
          const still = new Set((await pageById(service, { limit: 200 })).map(({ alarmId }) => alarmId))
          const missed = there.filter(id => still.has(id) && !ids.includes(id))
          expect(missed).to.deep.equal([])
        } finally {
          await service.stop()
        }
      }),
      { numRuns: plants },
    ))
})

async function compare(service: TestService, plant: OraclePlant, limit: number): Promise<void> {
  const expected = expectedRows(plant)
  const byId = await pageById(service, { limit })
  const sorted = byId.toSorted(byStart)
  expect(sorted.map(withoutId)).to.have.deep.members(expected)
  expect(byId.map(({ alarmId }) => alarmId)).to.deep.equal(byId.map(({ alarmId }) => alarmId).toSorted((a, b) => a - b))
  expect(new Set(byId.map(({ alarmId }) => alarmId))).to.have.property('size', byId.length)
  expect(await pageById(service, { limit, direction: 'DESC' })).to.deep.equal(byId.toReversed())
  expect(await pageByStart(service, { ...everything, limit })).to.deep.equal(sorted)
  const afterAll = '2999-01-01T00:00:00.000Z'
  expect(await pageByStart(service, { start: afterAll, limit, direction: 'DESC' })).to.deep.equal(sorted.toReversed())
  const [middle] = sorted.slice(Math.floor(sorted.length / 2))
  if (!middle) return
  const { start } = middle
  const from = await alarmPage(service, { start, limit })
  expect(from.instances).to.deep.equal(sorted.filter(row => row.start >= start).slice(0, limit))
  const before = await alarmPage(service, { start, limit, direction: 'DESC' })
  expect(before.instances).to.deep.equal(
    sorted
      .filter(row => row.start < start)
      .toReversed()
      .slice(0, limit),
  )
}

/**
 * Returns the expected rows. A decommissioned machine has no further alarms; all other values are as the machine sent
 * them.
 */
function expectedRows(plant: OraclePlant): Omit<AlarmInstanceRow, 'alarmId'>[] {
  return Object.entries(oracleAlarms(plant)).flatMap(([machineId, alarms]) => {
    const machine = plant.machines.find(({ id }) => id === machineId)
    const goneMs = machine?.decommissionedAt ? Date.parse(machine.decommissionedAt) : Infinity
    return alarms.map(({ state, nativeCode, message, startMs, endMs }) => {
      const end = Math.min(endMs ?? Infinity, goneMs)
      return {
        durationMs: Math.min(end, plant.nowMs) - startMs,
        state,
        machineId,
        nativeCode,
        message,
        start: new Date(startMs).toISOString(),
        end: end <= plant.nowMs ? new Date(end).toISOString() : null,
      }
    })
  })
}

function byStart(a: AlarmInstanceRow, b: AlarmInstanceRow): number {
  return a.start < b.start ? -1 : a.start > b.start ? 1 : a.alarmId - b.alarmId
}

/** Returns the ids of instances by their content, without instances that differ only in their key. */
function idsOf(rows: readonly AlarmInstanceRow[]): ReadonlyMap<string, number> {
  const known = new Map<string, number>()
  const twice = new Set<string>()
  for (const { machineId, nativeCode, start, state, message, alarmId } of rows) {
    const instance = JSON.stringify([machineId, nativeCode, start, state, message])
    if (known.has(instance)) twice.add(instance)
    known.set(instance, alarmId)
  }
  for (const instance of twice) known.delete(instance)
  return known
}
