import fc from 'fast-check'
import { expectSameReport, oracleReport } from '../oracle/oracle.ts'
import { arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { postSamples, startPlant } from './plant-service.ts'

const runs = Number(process.env['TAKT_PLANTS'] ?? 12)

describe('production reports of random plants', () => {
  it('equal the naive recomputation', async function () {
    this.timeout(600_000)
    await fc.assert(
      fc.asyncProperty(
        arbitraryPlantWithRequests({}, 6),
        fc.integer({ min: 1, max: 400 }),
        async ({ plant, requests }, size) => {
          const service = await startPlant(plant)
          try {
            await postSamples(service, plant.samples, size)
            await service.settled()
            service.setClock(plant.nowMs)
            for (const request of requests) {
              if (request.report !== 'production') continue
              const { body } = await service.call('POST', '/reports/production', request)
              expectSameReport(body, oracleReport({ ...plant, request }))
            }
          } finally {
            await service.stop()
          }
        },
      ),
      { numRuns: runs, endOnFailure: true },
    )
  })
})
