import * as fc from 'fast-check'
import type { ReportKind } from '../oracle/oracle.ts'
import { arbitraryPlant, arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { forAll } from '../support/for-all.ts'
import { compareInNewService, compareReportsOf } from './compare-reports.ts'
import { changeTo, postSamples, startPlant, withSettingsOf } from './plant-service.ts'

/** Number of random plants; TAKT_RUNS multiplies it for a long run, which finds more errors. */
const plants = 2
const requestsPerPlant = 24
const reports: readonly ReportKind[] = ['downtime', 'quality', 'alarm']
const batchSize = fc.integer({ min: 1, max: 400 })

describe('downtime, quality and alarm reports of random plants', function () {
  this.timeout(3_600_000)

  it('Downtime, quality and alarm reports equal a naive recomputation, for any batches of samples', () =>
    forAll(
      fc.asyncProperty(
        arbitraryPlantWithRequests({}, requestsPerPlant, reports),
        batchSize,
        ({ plant, requests }, size) => compareInNewService(plant, requests, size),
      ),
      { numRuns: plants },
    ))

  it('Downtime, quality and alarm reports are the same if the settings were changed after the samples arrived', () =>
    forAll(
      fc.asyncProperty(
        arbitraryPlantWithRequests({}, requestsPerPlant, reports),
        arbitraryPlant(),
        async ({ plant, requests }, other) => {
          const service = await startPlant(withSettingsOf(plant, other))
          try {
            await postSamples(service, plant.samples, 400)
            await changeTo(service, plant)
            await service.settled()
            await compareReportsOf(service, plant, requests)
          } finally {
            await service.stop()
          }
        },
      ),
      { numRuns: Math.ceil(plants / 2) },
    ))
})
