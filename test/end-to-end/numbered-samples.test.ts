import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { SampleIssueResponse } from '../../schema/records/machine.ts'
import type { OraclePlant, OracleRequest } from '../oracle/oracle.ts'
import { arbitraryPlant } from '../oracle/plant.ts'
import { addMachine, shapeOf } from '../api/live/plant.ts'
import { freshDatabase } from '../support/database.ts'
import { forAll } from '../support/for-all.ts'
import { startService, type TestService } from '../support/service.ts'
import { compareReportsOf } from './compare-reports.ts'
import { clockAfter, postSamples, startPlant } from './plant-service.ts'

interface MachineItem {
  readonly entity: { readonly id: string }
  readonly aggregate: { readonly totalParts: number }
}

const plants = 2

describe('samples with sequence numbers', function () {
  this.timeout(3_600_000)

  it('A numbered sample counts once per number and key, in any order of copies and across restarts', () =>
    forAll(
      fc.asyncProperty(
        arbitraryPlant({ sharesNumbers: true }),
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 2 }),
        fc.nat(),
        async (plant, size, restarts, seed) => {
          const database = await freshDatabase()
          const dataDir = mkdtempSync(join(tmpdir(), 'takt-numbered-'))
          const options = { store: database.store, env: { TAKT_DATA_DIR: dataDir }, nowMs: clockAfter(plant) }
          const samples = shuffled(plant.samples, seed)
          const part = Math.ceil(samples.length / (restarts.length + 1))
          let service: TestService | null = null
          try {
            service = await startPlant(plant, options)
            for (const [index, settles] of restarts.entries()) {
              await postSamples(service, samples.slice(index * part, (index + 1) * part), size)
              if (settles) await service.settled()
              await service.stop()
              service = await startService(options)
            }
            await postSamples(service, samples.slice(restarts.length * part), size)
            await service.settled()
            await compareReportsOf(service, plant, wholeOf(plant))
          } finally {
            await service?.stop()
            await database.drop()
            rmSync(dataDir, { recursive: true, force: true })
          }
        },
      ),
      { numRuns: plants },
    ))

  describe('with other content than a sample of equal number and key', () => {
    let service: TestService
    before(async () => {
      service = await startService()
    })
    after(() => service.stop())

    const startMs = Date.now() - 7_200_000
    const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString()
    const faultsOf = async (machineId: string) => {
      const { body } = await service.call('GET', '/machines')
      const machines = shapeOf<{ readonly id: string; readonly faults: readonly SampleIssueResponse[] }[]>(body)
      const faults = machines.find(({ id }) => id === machineId)?.faults ?? []
      return faults.flatMap(({ code, key, count }) => (code === 'sequence_reused' ? [{ key, count }] : []))
    }
    const send = async (machineId: string, ...samples: readonly object[]) => {
      const { status } = await service.call('POST', '/ingest/samples', { machineId, samples })
      expect(status).to.equal(202)
      await service.settled()
    }
    /** Faults are published every second. */
    const untilFaults = async (machineId: string, expected: readonly object[]) => {
      const untilMs = Date.now() + 60_000
      while (Date.now() < untilMs && (await faultsOf(machineId)).length < expected.length)
        await new Promise(resolve => setTimeout(resolve, 50))
      expect(await faultsOf(machineId)).to.deep.equal(expected)
    }

    const partsOf = async (machineId: string) => {
      const range = { start: at(-10), end: at(100), groupBy: [{ group: 'machine' }] }
      const { body } = await service.call('POST', '/reports/production', { ...range, data: [{ metric: 'totalParts' }] })
      const { items } = shapeOf<{ readonly items: readonly MachineItem[] }>(body)
      return items.find(({ entity }) => entity.id === machineId)?.aggregate.totalParts
    }

    it('Different samples with equal number and key are reported as the machine fault sequence_reused', async () => {
      const numbers = { instanceId: 1, sequence: 7 }
      const execution = (seconds: number, value: string) => ({
        timestamp: at(seconds),
        key: 'execution',
        type: 'EXECUTION',
        value,
        ...numbers,
      })
      const load = (seconds: number, value: number) => ({
        timestamp: at(seconds),
        key: 'load',
        type: 'LOAD',
        value,
        ...numbers,
      })
      const copied = await addMachine(service)
      const [first, other] = [execution(0, 'ACTIVE'), load(0, 1)]
      await send(copied, first, other)
      await send(copied, first, other, { ...other, key: 'LOAD' })

      const later = await addMachine(service)
      await send(later, execution(0, 'ACTIVE'), execution(4_000, 'READY'))
      await send(later, execution(4_000, 'READY'), execution(0, 'ACTIVE'))

      const sameTime = await addMachine(service)
      await send(sameTime, execution(0, 'ACTIVE'))
      await send(sameTime, execution(0, 'READY'))

      const plain = await addMachine(service)
      await send(plain, load(0, 1), load(1, 2), load(2, 2))

      await untilFaults(later, [{ key: 'execution', count: 1 }])
      await untilFaults(sameTime, [{ key: 'execution', count: 1 }])
      await untilFaults(plain, [{ key: 'load', count: 2 }])
      await untilFaults(copied, [])
    })

    it('The first sample of a number and key counts, even if its subtype sets no state', async () => {
      const count = (seconds: number, value: number, sequence: number, subtype = 'ALL') => ({
        timestamp: at(seconds),
        key: 'parts',
        type: 'PART_COUNT',
        subtype,
        value,
        instanceId: 1,
        sequence,
      })
      const counts = [
        count(0, 10, 1),
        count(1, 10, 2, 'GOOD'),
        count(2, 13, 2),
        count(3, 15, 3, 'GOOD'),
        count(4, 12, 4),
      ]
      for (const batches of [[counts], counts.map(each => [each]), counts.toReversed().map(each => [each])]) {
        const machineId = await addMachine(service)
        await service.call('PATCH', `/machines/${machineId}`, { partCounter: 'counter' })
        await send(machineId, { timestamp: at(0), key: 'execution', type: 'EXECUTION', value: 'ACTIVE' })
        for (const batch of batches) await send(machineId, ...batch)
        expect(await partsOf(machineId)).to.equal(2)
      }
    })
  })
})

/** Requests for all data that the state samples of a plant determine, by machine. */
function wholeOf({ samples, nowMs }: OraclePlant): readonly OracleRequest[] {
  const instants = samples.map(({ timestamp }) => Date.parse(timestamp)).filter(Number.isFinite)
  const start = new Date(Math.min(nowMs, ...instants) - 86_400_000).toISOString()
  const range = { start, end: new Date(nowMs + 1).toISOString(), groupBy: [{ group: 'machine' }] }
  const data = ['totalParts', 'timeInCycle', 'timeInCut', 'timeSpindleRotating'].map(metric => ({ metric }))
  return [
    { report: 'production', ...range, data },
    { report: 'alarm', ...range, data: [{ metric: 'durationMs' }, { metric: 'recordCount' }] },
  ]
}

function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  let state = seed % 2_147_483_647
  const next = () => (state = (state * 48_271 + 11) % 2_147_483_647)
  return items
    .map(item => ({ item, place: next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
