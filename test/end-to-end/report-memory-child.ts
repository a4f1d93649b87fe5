/** Sends many report requests to a service in this process, and prints its memory use before and after them as JSON. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '../support/service.ts'

const [warmUp = 0, reports = 0] = process.argv.slice(2).map(Number)
const machines = 60
const hourMs = 3_600_000
const nowMs = Date.parse('2026-03-02T12:00:00Z')

const service = await startService({ nowMs })
const ids = Array.from({ length: machines }, () => randomUUID())
for (const [i, id] of ids.entries()) await ok('PUT', `/machines/${id}`, { name: `Lathe ${i}` })
await ok(
  'POST',
  '/ingest/samples',
  ids.flatMap(machineId =>
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map(hours => ({
      machineId,
      timestamp: new Date(nowMs - hours * hourMs).toISOString(),
      key: 'execution',
      type: 'EXECUTION',
      value: hours % 2 === 0 ? 'ACTIVE' : 'STOPPED',
    })),
  ),
)
await service.settled()

await ask(warmUp)
const before = await held()
await ask(reports)
const after = await held()
process.stdout.write(`${JSON.stringify({ before, after })}\n`)
process.exit(0)

async function ask(count: number): Promise<void> {
  const body = {
    startDay: '2026-03-01',
    endDay: '2026-03-02',
    data: [{ metric: 'oee' }, { metric: 'goodParts' }],
    groupBy: [{ group: 'machine' }, { group: 'shift' }],
  }
  for (let i = 0; i < count; i += 4) await Promise.all([0, 1, 2, 3].map(() => ok('POST', '/reports/production', body)))
}

/** Returns the used bytes of the heap and of buffers outside of it. */
async function held(): Promise<{ readonly heapBytes: number; readonly bufferBytes: number }> {
  for (let i = 0; i < 5; i++) {
    await sleep(100)
    globalThis.gc?.()
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return { heapBytes: heapUsed, bufferBytes: arrayBuffers }
}

async function ok(method: string, path: string, body: unknown): Promise<unknown> {
  const answer = await service.call(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
