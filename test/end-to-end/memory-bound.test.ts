import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { type ChildService, startChild } from '../support/child-service.ts'
import { testKey } from '../support/service.ts'
import { sendAnyway } from './send-anyway.ts'
import { worstRequests } from './worst-requests.ts'

/** Number of requests of each kind. */
const rounds = Number(process.env['TAKT_RUNS'] ?? 1)
/** Rows of the imported file. A preview reads the largest file, too; an import then stores them in commands of a fixed size. */
const importRows = Number(process.env['TAKT_WORST_IMPORT_ROWS'] ?? 30_000)
const lanes = 4
const machineIds = Array.from({ length: 50 }, () => randomUUID())
/** Requests with the most different bodies; all other routes have a body like one of these. */
const kinds = [
  // Imports take longest: they are first, so that the others run beside them.
  'POST /jobs/import/preview',
  'POST /jobs/import',
  'POST /session',
  'POST /users',
  'PUT /machines/:id',
  'PUT /machine-groups/:id',
  'PUT /schedules/:id',
  'POST /ingest/samples',
  'POST /reports/production',
  'POST /reports/downtime',
  'POST /reports/alarm/instances',
]

describe('service with a heap of 512 MB', function () {
  this.timeout(rounds * 600_000)
  let service: ChildService
  before(async () => {
    service = await startChild({ NODE_OPTIONS: '--max-old-space-size=512' })
    for (const [i, id] of machineIds.entries()) await service.call('PUT', `/machines/${id}`, { name: `M ${i}` })
  })
  after(() => service?.kill())

  it('A service with a heap of 512 MB responds while concurrent requests of every kind have their maximum size', async () => {
    const today = new Date().toISOString().slice(0, 10)
    const requests = worstRequests({ machineIds, days: [today, today], importRows })
    const waiting = Array.from({ length: rounds }, () => kinds).flat()
    const statuses = new Map<number, number>()
    const send = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const [method = '', path = ''] = name.split(' ')
        const body = requests[name]?.body
        const headers = {
          authorization: `Bearer ${testKey}`,
          ...(body instanceof Buffer && { 'content-type': 'application/json' }),
        }
        const url = service.url + path.replace(':id', randomUUID())
        const { status } = await sendAnyway(url, { method, headers, ...(body && { body }) })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const sending = Promise.all(Array.from({ length: lanes }, send))
    const sent = new AbortController()
    sending.finally(() => sent.abort()).catch(() => undefined)
    const watch = async (): Promise<number> => {
      let answered = 0
      while (!sent.signal.aborted) {
        assert.equal((await sendAnyway(`${service.url}/health/live`, {})).status, 200)
        answered += 1
        await sleep(100)
      }
      return answered
    }
    const [answered] = await Promise.all([watch(), sending])
    const heapBytes = Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(await metrics())?.[1])
    const told = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
    process.stdout.write(`${told}; /health/live ${answered} times; heap ${Math.round(heapBytes / 1e6)} MB\n`)
    assert.isFalse(statuses.has(500), told)
    assert.isBelow(heapBytes, 512e6)
  })

  async function metrics(): Promise<string> {
    return (await fetch(`${service.url}/metrics`)).text()
  }
})
