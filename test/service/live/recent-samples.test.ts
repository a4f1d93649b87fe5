import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../log/log.ts'
import { createRecentSamples } from '../../../service/live/recent-samples.ts'
import { startService, type TestService } from '../../support/service.ts'

const machineId = 'a0b1c2d3-0000-4000-8000-000000000001'

describe('reads of the last minute', function () {
  let service: TestService
  before(async () => {
    service = await startService()
    expect((await service.call('PUT', `/machines/${machineId}`, { name: 'Lathe' })).status).to.equal(200)
  })
  after(() => service.stop())

  let speed = 0
  /** Sends samples until the next one waits for its insert, and returns the value of the last one. */
  async function sent(): Promise<number> {
    // Enough inserts for the wait between them to grow.
    await sleep(600)
    for (let i = 0; i < 3; i++) {
      const [sample] = [{ timestamp: new Date().toISOString(), key: 'speed', type: 'SPEED', value: String(++speed) }]
      expect((await service.call('POST', '/ingest/samples', { machineId, samples: [sample] })).status).to.equal(202)
      await sleep(20)
    }
    return speed
  }
  const range = () => [new Date(Date.now() - 3_600_000).toISOString(), new Date(Date.now() + 1_000).toISOString()]

  it('The series of a metric includes samples that wait for their insert', async () => {
    const last = await sent()
    const [start, end] = range()
    const { body } = await service.call(
      'GET',
      `/machines/${machineId}/metric-values?key=speed&start=${start}&end=${end}`,
    )
    expect(body).to.have.property('values').that.is.an('array')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract of the route
    const { values } = body as { readonly values: readonly { readonly greatest: number }[] }
    expect(Math.max(...values.map(({ greatest }) => greatest))).to.equal(last)
  })

  it('The metrics of a machine include samples that wait for their insert', async () => {
    const last = await sent()
    const { body } = await service.call('GET', `/machines/${machineId}/metrics`)
    expect(body).to.have.nested.property('metrics[0].value', String(last))
  })

  it('GraphQL includes samples that wait for their insert', async () => {
    const { body: found } = await service.call('POST', '/graphql', { query: '{ machines { machineRef } }' })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract of the schema
    const [machine] = (found as { data: { machines: { machineRef: number }[] } }).data.machines
    for (const name of ['quantities', 'samples', 'stateIntervals']) {
      const last = await sent()
      const [start, end] = range()
      const args = `args: {machineRef: ${machine?.machineRef}, metricKey: "speed", windowStartAt: "${start}", windowEndAt: "${end}"}`
      const { body } = await service.call('POST', '/graphql', { query: `{ ${name}(${args}) { value } }` })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract of the schema
      const rows = (body as { data: Record<string, { value: unknown }[]> }).data[name] ?? []
      expect(String(rows.at(-1)?.value), name).to.equal(String(last))
    }
  })

  it('Reads do not wait if they end earlier, if the log is shared or if it is unavailable', async () => {
    const nowMs = Date.UTC(2026, 0, 5)
    let looks = 0
    const part: Pick<Log, 'kind' | 'endOffsets' | 'committed'> = {
      kind: 'embedded',
      endOffsets: async () => [++looks],
      committed: () => Promise.reject(new Error('The log is unavailable')),
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no other method is called
    const log = part as Log
    const of = (kind: Log['kind']) =>
      createRecentSamples({
        log: { ...log, kind },
        batchScheduler: { requestFlush: () => undefined },
        clock: () => nowMs,
      })
    await of('embedded')(nowMs - 60_000)
    await of('kafka')(nowMs)
    expect(looks).to.equal(0)
    await of('embedded')(nowMs - 59_999)
    expect(looks).to.equal(1)
  })
})
