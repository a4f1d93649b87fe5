import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { BatchScheduler } from '../../../processors/partitions/batch-scheduler.ts'
import { GraphqlSocket } from '../../support/graphql-socket.ts'
import { joined, liveClient } from '../../support/live-client.ts'
import { startService, testKey, type TestService } from '../../support/service.ts'

describe('Freshness of derived data', () => {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this`
  const { requestFlush } = BatchScheduler.prototype
  const machineId = randomUUID()
  let service: TestService
  let requests = 0

  before(async () => {
    BatchScheduler.prototype.requestFlush = function (this: BatchScheduler) {
      requests++
      requestFlush.call(this)
    }
    service = await startService()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    await service.settled()
  })
  after(async () => {
    BatchScheduler.prototype.requestFlush = requestFlush
    await service.stop()
  })

  const flushes = async (work: () => Promise<unknown>): Promise<boolean> => {
    const before = requests
    await work()
    return requests > before
  }
  const authorized = { headers: { authorization: `Bearer ${testKey}` } }
  const aDay = { startDay: '2026-03-02', endDay: '2026-03-02' }
  const range = 'start=2026-03-02T00:00:00Z&end=2026-03-03T00:00:00Z'

  for (const [method, path, body] of [
    ['POST', '/reports/production', { ...aDay, data: [{ metric: 'totalParts' }] }],
    ['POST', '/reports/production/explanation', { ...aDay, data: [{ metric: 'totalParts' }] }],
    ['POST', '/reports/downtime', aDay],
    ['POST', '/reports/quality', aDay],
    ['POST', '/reports/alarm', { ...aDay, data: [{ metric: 'durationMs' }] }],
    ['POST', '/reports/alarm/instances', { start: '2026-03-02T00:00:00Z' }],
    ['POST', '/reports/cycle-times', { ...aDay, jobOperation: 'J-1001-10' }],
    ['POST', '/graphql', { query: '{ machines { name } }' }],
    ['GET', '/graphql?query={machines{name}}'],
    ['GET', '/machines'],
    ['GET', '/downtime-records'],
    ['GET', '/downtime-records/microstops'],
    ['GET', `/machines/${machineId}/timeline?${range}`],
    ['GET', `/machines/${machineId}/metrics`],
    ['GET', `/machines/${machineId}/metric-values?key=load&${range}`],
    ['GET', '/health'],
  ] as const)
    it(`${method} ${path.replace(machineId, ':id').replace(/\?.*/, '')} requests a flush`, async () => {
      const call = async () => expect((await service.call(method, path, body)).status).to.equal(200)
      expect(await flushes(call)).to.equal(true)
    })

  for (const path of ['/job-runs', '/machine-groups', '/schedules', '/openapi.json', '/health/ready', '/metrics', '/'])
    it(`GET ${path} requests no flush`, async () => {
      const call = async () => expect((await fetch(service.url + path, authorized)).status).to.equal(200)
      expect(await flushes(call)).to.equal(false)
    })

  it('POST /ingest/samples requests no flush', async () => {
    const sample = { machineId, timestamp: new Date().toISOString(), key: 'load', type: 'LOAD', value: 1 }
    const post = async () => expect((await service.call('POST', '/ingest/samples', [sample])).status).to.equal(202)
    expect(await flushes(post)).to.equal(false)
  })

  it('A client requests a flush when it joins a live channel, not when it connects', async () => {
    const connect = async () => (await liveClient('plain', service.url, 'status')).close()
    expect(await flushes(connect)).to.equal(false)
    const join = async () => (await joined('plain', service.url, 'status', testKey)).close()
    expect(await flushes(join)).to.equal(true)
  })

  it('A subscription requests a flush if it reads derived data, not if it reads records', async () => {
    const socket = await GraphqlSocket.join(service.url, testKey)
    const begin = (id: string, query: string) => async () => {
      socket.start(id, query)
      await socket.until(() => socket.results(id).length > 0)
    }
    expect(await flushes(begin('1', 'subscription { machines { name } }'))).to.equal(false)
    expect(await flushes(begin('2', 'subscription { currentStates { value } }'))).to.equal(true)
    socket.close()
  })
})
