import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApiDocument } from '../../api/create-api.ts'
import type { JobRunResponse } from '../../schema/requests/job-dispatch.ts'
import type { JobOperationResponse } from '../../schema/records/job-operation.ts'
import { openApiChecker } from '../support/openapi.ts'
import { readAs } from '../support/read-as.ts'
import { caller, startService, type TestService } from '../support/service.ts'
import { postSamples } from './plant-service.ts'
import { longChangeTimeout, tellTo } from './tell-plant.ts'

const check = openApiChecker(openApiDocument())
const nothing = { totalParts: 0, goodParts: 0, scrapParts: 0, nonconformParts: 0 }

/** A machine that produces a part with every sample, until it is stopped. */
class Running {
  /** Instants at which parts were counted, UTC ms. */
  readonly partsMs: number[] = []
  readonly #ended: Promise<void>
  #isOn = true

  constructor(service: TestService, machineId: string) {
    this.#ended = this.#run(service, machineId)
  }

  async stop(): Promise<void> {
    this.#isOn = false
    await this.#ended
  }

  async #run(service: TestService, machineId: string): Promise<void> {
    const send = (key: string, type: string, value: string | number, atMs: number) =>
      postSamples(service, [{ machineId, timestamp: new Date(atMs).toISOString(), key, type, value }], 1)
    await send('exec', 'EXECUTION', 'ACTIVE', Date.now())
    await send('parts', 'PART_COUNT', 0, Date.now())
    while (this.#isOn) {
      const atMs = Date.now()
      await send('parts', 'PART_COUNT', this.partsMs.push(atMs), atMs)
      await sleep(30)
    }
  }
}

describe('ERP that dispatches jobs', function () {
  let service: TestService
  const machineId = randomUUID()
  before(async () => {
    service = await startService({ env: longChangeTimeout })
    const tell = tellTo(service)
    await tell('PUT', `/machines/${machineId}`, { name: 'Lathe', erpMachineId: 'WC-1' })
  })
  after(() => service.stop())

  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(method, path, body)
    check({ method, path, contentType: 'application/json', ...answer })
    return answer
  }
  const start = (id: string, more: object = {}) => {
    const run = { erpJobOperationRunId: id, erpMachineId: 'WC-1', jobName: 'J-100', operationName: '10', lotName: null }
    return ask('POST', '/erp/jobdispatch/start', { ...run, ...more })
  }
  const stop = (id: string, endAt: string | null = null) =>
    ask('POST', '/erp/jobdispatch/stop', { erpJobOperationRunId: id, endAt })
  const get = async (id: string) => {
    const { status, body } = await ask('GET', `/erp/jobdispatch/${id}`)
    assert.equal(status, 200, JSON.stringify(body))
    return readAs<JobRunResponse>(body)
  }
  const operations = async (jobName: string) => {
    const { body } = await ask('GET', `/job-operations?jobName=${jobName}`)
    return readAs<JobOperationResponse[]>(body)
  }

  it('The ERP starts, repeats, reads and stops a job run, and gets an error for each invalid request', async () => {
    const machine = new Running(service, machineId)
    try {
      const ok = { status: 200, body: null }
      assert.deepEqual(await start('RUN-1', { quantityRequired: 50, idealPartTime: 30 }), ok)
      assert.deepEqual(await start('RUN-1'), ok, 'started again')
      const { startAt, endAt } = await get('RUN-1')
      assert.isNull(endAt)
      assert.equal((await start('RUN-2', { erpMachineId: 'WC-404' })).status, 404)
      const wrongKey = caller(service.url, 'not a key at all')
      const refused = await wrongKey('POST', '/erp/jobdispatch/stop', { erpJobOperationRunId: 'RUN-1' })
      assert.equal(refused.status, 401)
      assert.propertyVal(refused.body, 'error', 'invalid_token')
      assert.equal((await ask('GET', '/erp/jobdispatch/RUN-2')).status, 404)
      assert.equal((await stop('RUN-2')).status, 404)

      let seen = 0
      while (seen < 10) {
        const { metrics } = await get('RUN-1')
        assert.isAtLeast(metrics.totalParts, seen, 'parts of an ongoing run do not decrease')
        seen = metrics.totalParts
      }
      assert.deepEqual(await stop('RUN-1'), ok)
      assert.deepEqual(await stop('RUN-1'), ok, 'stopped again')
      assert.equal((await start('RUN-1')).status, 400, 'status of a repeated start with another instant')
      assert.deepEqual(await start('RUN-1', { startAt }), ok, 'a repeated start with the same instant returns the run')
      const atStop = machine.partsMs.length
      // A part after the end belongs to no run.
      while (machine.partsMs.length === atStop) await sleep(20)
      await machine.stop()
      await service.settled()

      const ended = await get('RUN-1')
      assert.equal(ended.startAt, startAt)
      const endMs = Date.parse(ended.endAt ?? '')
      const made = machine.partsMs.filter(atMs => atMs >= Date.parse(startAt) && atMs < endMs).length
      assert.isBelow(made, machine.partsMs.length)
      assert.deepEqual(ended.metrics, { ...nothing, totalParts: made, goodParts: made })
      const byQuery = await ask('GET', '/erp/jobdispatch?erpRunId=RUN-1')
      assert.deepEqual(byQuery, { status: 200, body: ended })
    } finally {
      await machine.stop()
    }
  })

  it('Rejects of a running job are visible within seconds, and its metrics equal the production report', async () => {
    await start('RUN-3', { partName: 'P' })
    const machine = new Running(service, machineId)
    while (machine.partsMs.length < 5) await sleep(20)
    await machine.stop()
    await service.settled()
    const { metrics: before, startAt } = await get('RUN-3')
    const tell = tellTo(service)
    await tell('POST', '/part-adjustment', { machine_id: machineId, scrapcount: 2, count: -2 })
    const rework = { scrapcount: 1, count: 0, reject_behavior: 'nonconform' }
    await tell('POST', '/part-adjustment', { machine_id: machineId, ...rework })
    const toldMs = performance.now()
    const expected = {
      totalParts: before.totalParts + 1,
      goodParts: before.goodParts - 2,
      scrapParts: 2,
      nonconformParts: 1,
    }
    let metrics = before
    while (metrics.nonconformParts === 0 && performance.now() < toldMs + 10_000) metrics = (await get('RUN-3')).metrics
    assert.deepEqual(metrics, expected)
    const data = Object.keys(expected).map(metric => ({ metric }))
    const { body } = await ask('POST', '/reports/production', { start: startAt, end: '2100-01-01T00:00:00Z', data })
    assert.deepEqual(readAs<{ aggregate: unknown }>(body).aggregate, expected)
  })

  it('Concurrent starts create one job operation, and runs of a machine do not overlap', async () => {
    const instants = Array.from({ length: 24 }, (_, index) => new Date(Date.parse('2026-03-02') + index * 60_000))
    const answers = await Promise.all(
      instants.flatMap((startAt, index) =>
        // Each start is sent twice, in no particular order.
        [index, index].map(it => start(`MANY-${it}`, { jobName: 'Many', startAt: startAt.toISOString() })),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.lengthOf(await operations('Many'), 1)
    const runs = await Promise.all(instants.map((_, index) => get(`MANY-${index}`)))
    for (const [index, { startAt, endAt, metrics }] of runs.entries()) {
      assert.equal(startAt, instants[index]?.toISOString())
      if (index < runs.length - 1) assert.equal(endAt, instants[index + 1]?.toISOString())
      assert.deepEqual(metrics, nothing)
    }
  })

  it('A job run that ends at its start has no parts and no time', async () => {
    await start('UNDONE', { startAt: '2026-04-01T08:00:00Z' })
    await stop('UNDONE', '2026-04-01T08:00:00Z')
    const startAt = '2026-04-01T08:00:00.000Z'
    assert.deepEqual(await get('UNDONE'), { startAt, endAt: startAt, metrics: nothing })
  })
})
