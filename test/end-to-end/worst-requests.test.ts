import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { routes } from '../../api/create-api.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import { type ChildService, startChild } from '../support/child-service.ts'
import { settled, testKey } from '../support/service.ts'
import { sendAnyway } from './send-anyway.ts'
import { type WorstRequest, worstRequests } from './worst-requests.ts'

/** For the whole of what may hold it: this process, other tests, and the computer. */
const mostWaitMs = 5_000
const filledDays = 2
const machineIds = Array.from({ length: 200 }, () => randomUUID())

describe('the worst request of every route', function () {
  this.timeout(600_000)
  let service: ChildService
  before(async () => {
    service = await startChild({})
    for (let at = 0; at < machineIds.length; at += 20) {
      await Promise.all(
        machineIds.slice(at, at + 20).map((id, i) => service.call('PUT', `/machines/${id}`, { name: `M ${at + i}` })),
      )
    }
    await fillDays()
    await settled(service.url, 300_000)
  })
  after(() => service?.kill())

  it('lets others be answered meanwhile', async () => {
    const today = Date.now()
    const days = [today - filledDays * dayMs, today].map(ms => new Date(ms).toISOString().slice(0, 10))
    const requests = worstRequests({ machineIds, days: [days[0] ?? '', days[1] ?? ''] })
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    assert.sameMembers(Object.keys(requests), names, 'each route has its worst request')
    const told: { name: string; status: number; tookMs: number; waitMs: number }[] = []
    for (const name of names) told.push({ name, ...(await ask(name, requests[name] ?? {})) })
    told.sort((a, b) => b.waitMs - a.waitMs)
    const line = ({ name, status, tookMs, waitMs }: (typeof told)[number]) =>
      `${waitMs.toFixed(0).padStart(7)} ms worst wait ${tookMs.toFixed(0).padStart(7)} ms  ${status}  ${name}`
    process.stdout.write(`${told.map(line).join('\n')}\n`)
    for (const { name, status, waitMs } of told) {
      assert.notEqual(status, 500, name)
      assert.isBelow(waitMs, mostWaitMs, name)
    }
  })

  /** Sends it, and asks `/health/live` until it is answered: the longest that one of these took. */
  async function ask(name: string, { path, body }: WorstRequest) {
    const [method = '', pattern = ''] = name.split(' ')
    const headers = {
      authorization: `Bearer ${testKey}`,
      ...(body instanceof Buffer && { 'content-type': 'application/json' }),
    }
    const done = new AbortController()
    let waitMs = 0
    const asked = (async () => {
      while (!done.signal.aborted) {
        const { status, tookMs } = await sendAnyway(`${service.url}/health/live`, {})
        assert.equal(status, 200, `beside ${name}`)
        waitMs = Math.max(waitMs, tookMs)
        await sleep(5)
      }
    })()
    await sleep(10)
    const url = service.url + (path ?? pattern.replace(':id', randomUUID()))
    const { status, tookMs } = await sendAnyway(url, { method, headers, ...(body && { body }) })
    done.abort()
    await asked
    return { status, tookMs, waitMs }
  }

  /** Days in which each machine runs and stops every two hours. */
  async function fillDays(): Promise<void> {
    const startMs = Math.floor(Date.now() / hourMs) * hourMs - filledDays * dayMs
    for (let day = 0; day < filledDays; day++) {
      const samples = machineIds.flatMap(machineId =>
        Array.from({ length: 24 }, (_, hour) => ({
          machineId,
          timestamp: new Date(startMs + day * dayMs + hour * hourMs).toISOString(),
          key: 'execution',
          type: 'EXECUTION',
          value: hour % 2 === 0 ? 'ACTIVE' : 'STOPPED',
        })),
      )
      assert.equal((await service.call('POST', '/ingest/samples', samples)).status, 202)
    }
  }
})
