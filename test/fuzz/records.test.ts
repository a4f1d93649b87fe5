import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Random } from '../../demo/simulate/random.ts'
import type { NewRecord } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { settled, startService, type TestService } from '../support/service.ts'
import { mutateText, mutateValue } from './mutate.ts'

const records = Number(process.env['TAKT_FUZZ_RECORDS'] ?? 500)
const seed = Number(process.env['TAKT_FUZZ_SEED'] ?? Date.now() % 1_000_000)
const partsEvery = 20

describe(`a sample topic with random records (TAKT_FUZZ_SEED=${seed})`, function () {
  this.timeout(300_000 + records * 100)
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service?.stop())

  it('Valid samples between random records on the topic are not lost', async () => {
    const random = new Random(seed)
    const [machine, attacked] = [randomUUID(), randomUUID()]
    for (const id of [machine, attacked]) await service.call('PUT', `/machines/${id}`, { name: id })
    const startMs = Date.now() - records * 10
    let parts = 0
    for (let at = 0; at < records; at++) {
      const isGood = at % partsEvery === 0
      const value = isGood ? part(machine, startMs + at * 10, parts++) : oddRecord(attacked, startMs + at * 10, random)
      await service.log.append(topics.samples, [record(value, random)])
    }
    await settled(service.url, 50_000 + records * 20)
    const body = {
      start: new Date(startMs - 60_000).toISOString(),
      end: new Date(startMs + records * 10 + 60_000).toISOString(),
      data: [{ metric: 'totalParts' }],
      filter: { machine: [machine] },
    }
    const report = await service.call('POST', '/reports/production', body)
    expect(report.body).to.have.nested.property('aggregate.totalParts', parts - 1)
  })
})

function part(machineId: string, atMs: number, value: number): Buffer {
  const sample = { machineId, timestamp: new Date(atMs).toISOString(), key: 'parts', type: 'PART_COUNT', value }
  return Buffer.from(JSON.stringify(sample))
}

function oddRecord(machineId: string, atMs: number, random: Random): Buffer {
  const timestamp = new Date(atMs).toISOString()
  const sample = random.pick<Readonly<Record<string, unknown>>>([
    { timestamp, key: 'execution', type: 'EXECUTION', value: random.pick(['ACTIVE', 'READY', 'x']) },
    {
      timestamp,
      key: 'system',
      type: 'SYSTEM',
      category: 'CONDITION',
      value: 'FAULT',
      nativeCode: '7',
      message: 'hot',
    },
    { timestamp, key: 'parts', type: 'PART_COUNT', value: 7, instanceId: 1, sequence: 2 },
  ])
  const value = random.chance(0.5) ? { machineId, ...sample } : { machineId, samples: [sample, sample] }
  let mutated: unknown = value
  for (let times = random.integer(1, 4); times > 0; times--) mutated = mutateValue(mutated, random)
  const json = JSON.stringify(mutated) ?? ''
  return random.chance(0.3) ? mutateText(json, random) : Buffer.from(json)
}

function record(value: Buffer, random: Random): NewRecord {
  return { key: random.pick([null, '', 'any', 'k'.repeat(300), '\ud800']), value }
}
