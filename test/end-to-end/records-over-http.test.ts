import * as fc from 'fast-check'
import { arbitraryPlant, arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { forAll } from '../support/for-all.ts'
import { startService } from '../support/service.ts'
import { compareReportsOf } from './compare-reports.ts'
import { clockAfter } from './plant-service.ts'
import { patient, tellable, tellPlant } from './tell-plant.ts'

/** More plants find more: the tests take a few, a long run as many as it likes. */
const plants = Number(process.env['TAKT_PLANTS'] ?? 3)
const requestsPerPlant = 24

describe('records of random plants, told over HTTP', function () {
  this.timeout(3_600_000)

  it('in any order, with changes and deletions, equal the naive recomputation in every report', () =>
    forAll(
      fc.asyncProperty(
        arbitraryPlantWithRequests({}, requestsPerPlant),
        arbitraryPlant(),
        fc.integer(),
        async ({ plant: drawn, requests }, other, seed) => {
          const nowMs = clockAfter(drawn)
          const plant = tellable(drawn, nowMs)
          const service = await startService({ nowMs, env: patient })
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
