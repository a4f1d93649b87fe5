import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { type Store, StoreError } from '../../clickhouse/client/store.ts'
import type { Health } from '../../schema/requests/health.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { eventually } from '../log/fixture.ts'

describe('store that rejects inserts', function () {
  let database: TestDatabase
  let service: TestService
  const rejecting = new Set<string>()
  beforeEach(async () => {
    database = await freshDatabase()
    const { store } = database
    const insertNative: Store['insertNative'] = async (table, ...rest) => {
      if (rejecting.has(table)) throw tooManyParts
      await store.insertNative(table, ...rest)
    }
    service = await startService({ store: { ...store, insertNative } })
  })
  afterEach(async () => {
    await service?.stop()
    await database?.drop()
  })
  const healthOf = async (): Promise<Health> => JSON.parse(await (await fetch(`${service.url}/health`)).text())
  const codesOf = async () => (await healthOf()).problems.map(({ code, topic }) => [code, topic])

  it('A store that rejects inserts is a problem within 30 s, causes no dead letter and loses no sample', async () => {
    const machineId = randomUUID()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    await service.settled()
    for (const table of ['samples', 'hours']) rejecting.add(table)
    const startMs = Date.now() - 120_000
    const sampleOf = (value: string, atMs: number) => ({
      machineId,
      timestamp: new Date(startMs + atMs).toISOString(),
      key: 'execution',
      type: 'EXECUTION',
      value,
    })
    const samples = [sampleOf('ACTIVE', 0), sampleOf('READY', 60_000)]
    expect((await service.call('POST', '/ingest/samples', samples)).status).to.equal(202)

    const rejectedMs = performance.now()
    // The documents of the batch are part of its processing: the consumer repeats both.
    const failing = new Set(['consumer_failing', 'documents_failing'])
    await eventually(async () => {
      const codes = (await codesOf()).map(([code]) => code ?? '')
      return codes.includes('insert_failing') && codes.some(code => failing.has(code))
    })
    expect(performance.now() - rejectedMs).to.be.below(30_000)
    expect(await codesOf()).to.deep.include(['insert_failing', 'samples.v1'])
    expect((await codesOf()).some(([code]) => failing.has(code ?? ''))).to.equal(true)
    expect(JSON.stringify((await healthOf()).problems)).not.to.include('Too many parts')

    rejecting.clear()
    await service.settled()
    await eventually(async () => (await healthOf()).problems.length === 0)
    const report = await service.call('POST', '/reports/production', {
      start: new Date(startMs).toISOString(),
      end: new Date(startMs + 60_000).toISOString(),
      data: [{ metric: 'timeInCycle' }],
      filter: { machine: [machineId] },
    })
    expect(report.body).to.have.nested.property('aggregate.timeInCycle', 60_000)
    expect((await service.call('GET', '/dead-letters')).body).to.deep.equal({ reasons: [] })
  })
})

const tooManyParts = new StoreError('Too many parts', { code: 252, type: 'TOO_MANY_PARTS', retryable: true, query: '' })
