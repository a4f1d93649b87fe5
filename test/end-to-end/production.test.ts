import * as fc from 'fast-check'
import { arbitraryPlant, arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { forAll } from '../support/for-all.ts'
import { compareInNewService, compareReportsOf } from './compare-reports.ts'
import { changeTo, postSamples, startPlant, withSettingsOf } from './plant-service.ts'

/** Number of random plants; TAKT_RUNS multiplies it for a long run, which finds more errors. */
const plants = 3
const requestsPerPlant = 4
const batchSize = fc.integer({ min: 1, max: 400 })

describe('production reports of random plants', function () {
  this.timeout(3_600_000)

  it('Production reports equal a naive recomputation, for any batches of samples', () =>
    forAll(
      fc.asyncProperty(
        arbitraryPlantWithRequests({}, requestsPerPlant, ['production']),
        batchSize,
        ({ plant, requests }, size) => compareInNewService(plant, requests, size),
      ),
      { numRuns: plants },
    ))

  it('Production reports are the same if the settings were changed after the samples arrived', () =>
    forAll(
      fc.asyncProperty(
        arbitraryPlantWithRequests({}, requestsPerPlant, ['production']),
        arbitraryPlant(),
        batchSize,
        fc.boolean(),
        async ({ plant, requests }, other, size, settles) => {
          const service = await startPlant(withSettingsOf(plant, other))
          try {
            const half = Math.floor(plant.samples.length / 2)
            await postSamples(service, plant.samples.slice(0, half), size)
            if (settles) await service.settled()
            await changeTo(service, plant)
            await postSamples(service, plant.samples.slice(half), size)
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
