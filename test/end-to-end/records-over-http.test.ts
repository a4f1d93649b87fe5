import * as fc from 'fast-check'
import { arbitraryPlant, arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { forAll } from '../support/for-all.ts'
import { startService } from '../support/service.ts'
import { compareReportsOf } from './compare-reports.ts'
import { clockAfter } from './plant-service.ts'
import { longChangeTimeout, tellable, tellPlant } from './tell-plant.ts'

/** Number of random plants; TAKT_PLANTS sets a larger number for a long run, which finds more errors. */
const plants = Number(process.env['TAKT_PLANTS'] ?? 3)
const requestsPerPlant = 24

describe('records of random plants sent over HTTP', function () {
  this.timeout(3_600_000)

  it('Reports equal a naive recomputation if all records are sent over HTTP in any order, with changes and deletions', () =>
    forAll(
      fc.asyncProperty(
        arbitraryPlantWithRequests({}, requestsPerPlant),
        arbitraryPlant(),
        fc.integer(),
        async ({ plant: drawn, requests }, other, seed) => {
          const nowMs = clockAfter(drawn)
          const plant = tellable(drawn, nowMs)
          const service = await startService({ nowMs, env: longChangeTimeout })
          try {
            await tellPlant(service, plant, { other, seed })
            await service.settled()
            await compareReportsOf(service, plant, requests)
          } finally {
            await service.stop()
          }
        },
      ),
      { numRuns: plants },
    ))
})
