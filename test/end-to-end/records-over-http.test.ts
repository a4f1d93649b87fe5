import * as fc from 'fast-check'
import { arbitraryPlant, arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { forAll } from '../support/for-all.ts'
import { startService, type TestServiceOptions } from '../support/service.ts'
import type { OraclePlant } from '../oracle/types.ts'
import { hourMs } from '../../shared/time/units.ts'
import { compareReportsOf } from './compare-reports.ts'
import { clockAfter } from './plant-service.ts'
import { longChangeTimeout, tellable, tellPlant } from './tell-plant.ts'

/** Number of random plants; TAKT_RUNS multiplies it for a long run, which finds more errors. */
const plants = 1
const requestsPerPlant = 24

/** Only records of the last hours stay in memory. */
const recent = (maxAgeMs: number) => ({
  maxAgeMs,
  minAgeMs: 0,
  maxRecords: 1e9,
  maxRecordsPerMachine: 0,
  slack: 0,
  maxOperations: 1,
  incidentAgeMs: 0,
  maxSettledIncidents: 0,
  deliveryAgeMs: 0,
})

describe('records of random plants sent over HTTP', function () {
  this.timeout(3_600_000)

  const anyPlant = arbitraryPlantWithRequests({}, requestsPerPlant)
  type DrawnPlant = typeof anyPlant extends fc.Arbitrary<infer Drawn> ? Drawn : never

  async function compare(
    { plant: drawn, requests }: DrawnPlant,
    told: { readonly other: OraclePlant; readonly seed: number },
    options: (nowMs: number) => TestServiceOptions,
  ): Promise<void> {
    const nowMs = clockAfter(drawn)
    const plant = tellable(drawn, nowMs)
    const service = await startService({ nowMs, env: longChangeTimeout, ...options(nowMs) })
    try {
      await tellPlant(service, plant, told)
      await service.settled()
      await compareReportsOf(service, plant, requests)
    } finally {
      await service.stop()
    }
  }

  it('Reports equal a naive recomputation if all records are sent over HTTP in any order, with changes and deletions', () =>
    forAll(
      fc.asyncProperty(anyPlant, arbitraryPlant(), fc.integer(), (drawn, other, seed) =>
        compare(drawn, { other, seed }, () => ({})),
      ),
      { numRuns: plants },
    ))

  it('Reports equal a naive recomputation if all but the latest hours are computed from stored records', () =>
    forAll(
      fc.asyncProperty(
        anyPlant,
        arbitraryPlant(),
        fc.integer(),
        fc.integer({ min: 0, max: 48 }),
        (drawn, other, seed, hours) =>
          compare(drawn, { other, seed }, () => ({ recordLimits: recent(hours * hourMs) })),
      ),
      { numRuns: plants },
    ))
})
