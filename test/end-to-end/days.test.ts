import { expect } from 'chai'
import * as fc from 'fast-check'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDayCoverage } from '../../clickhouse/documents/day-coverage.ts'
import { sql, uint32 } from '../../clickhouse/sql/sql.ts'
import { createCalendar } from '../../processors/calendar/calendar.ts'
import type { Bucket } from '../../processors/calendar/types.ts'
import { arbitraryPlant, arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { expectTrueDays } from '../support/day-documents.ts'
import type { TestService } from '../support/service.ts'
import { forAll } from '../support/for-all.ts'
import { compareReportsOf } from './compare-reports.ts'
import { afterSamplesMs, changeTo, postSamples, startPlant, withSettingsOf } from './plant-service.ts'
import { minuteMs } from '../../shared/time/units.ts'

/** Number of random plants; TAKT_RUNS multiplies it for a long run, which finds more errors. */
const plants = 2
const requestsPerPlant = 40
const dayMs = 1440 * minuteMs

describe('day documents of random plants', function () {
  this.timeout(3_600_000)

  for (const closes of [false, true])
    it(`Day documents equal their hours on days of any length, also with late samples and changed settings${closes ? ' after they were closed' : ''}`, () =>
      forAll(
        fc.asyncProperty(arbitraryPlant(), arbitraryPlant(), async (plant, other) => {
          const service = await startPlant(withSettingsOf(plant, other))
          try {
            let nowMs = Math.max(plant.nowMs, ...plant.samples.map(({ timestamp }) => Date.parse(timestamp) || 0))
            const pass = (ms: number) => service.setClock((nowMs += ms))
            pass(afterSamplesMs + dayMs)
            const half = Math.floor(plant.samples.length / 2)
            await postSamples(service, plant.samples.slice(0, half), 200)
            if (closes) await covered(service, nowMs)
            await changeTo(service, plant)
            if (closes) await covered(service, nowMs)
            await postSamples(service, plant.samples.slice(half), 200)
            await service.settled()
            await expectTrueDays(
              service.store,
              companyOf(service).ref,
              closedDays(service, await firstHour(service), nowMs),
            )
            pass(2 * minuteMs)
            await covered(service, nowMs)
          } finally {
            await service.stop()
          }
        }),
        { numRuns: Math.ceil(plants / 2) },
      ))

  it('Downtime reports from day documents equal a naive recomputation', () =>
    forAll(
      fc.asyncProperty(arbitraryPlantWithRequests({}, requestsPerPlant, ['downtime']), async ({ plant, requests }) => {
        const service = await startPlant(plant)
        try {
          const lastMs = Math.max(plant.nowMs, ...plant.samples.map(({ timestamp }) => Date.parse(timestamp) || 0))
          const nowMs = lastMs + afterSamplesMs + dayMs
          service.setClock(nowMs)
          await postSamples(service, plant.samples, 200)
          await covered(service, nowMs)
          await compareReportsOf(service, { ...plant, nowMs }, requests)
        } finally {
          await service.stop()
        }
      }),
      { numRuns: plants },
    ))
})

/** Waits until every closed day is covered and none is stale, and compares them with the hours. */
async function covered(service: TestService, nowMs: number): Promise<void> {
  await service.settled()
  const days = closedDays(service, await firstHour(service), nowMs)
  const companyRef = companyOf(service).ref
  for (let tries = 0; ; tries++) {
    const { covered, stale } = await readDayCoverage(service.store, companyRef, days)
    // The clock is moved on, because stale days are rebuilt a minute after late samples.
    if (covered.length === days.length && stale.length === 0) break
    service.setClock(nowMs + minuteMs)
    if (tries > 600) expect({ covered, stale }).to.deep.equal({ covered: days, stale: [] })
    await sleep(50)
  }
  service.setClock(nowMs)
  const seen = await expectTrueDays(service.store, companyRef, days)
  expect(seen.covered).to.deep.equal(days)
}

function companyOf({ records, companyId }: TestService) {
  const company = records.company(companyId)
  if (!company) throw new Error('The service has no company')
  return company
}

async function firstHour(service: TestService): Promise<number> {
  const [row] = await service.store.query<{ first: number }>(
    sql`SELECT toUnixTimestamp(min(slot)) AS first FROM hours WHERE company = ${uint32(companyOf(service).ref)}`,
  )
  return (row?.first ?? 0) * 1000
}

function closedDays(service: TestService, fromMs: number, nowMs: number): readonly Bucket[] {
  return createCalendar(companyOf(service).settings, null)
    .bucketsOf('day', fromMs, nowMs)
    .filter(({ endMs }) => endMs <= nowMs - 5 * minuteMs)
}
