/**
 * Sends three times the load that the service can handle: reports and samples, embedded.
 *
 *   node --import tsx bench/overload/run.ts [machines=200] [seconds=8]
 */
import { randomUUID } from 'node:crypto'
import { hourMs } from '../../shared/time/units.ts'
import { startChild } from '../../test/support/child-service.ts'
import { testKey } from '../../test/support/service.ts'
import { bodies } from '../ingest/bodies.ts'
import { timed, Times } from '../reports/measure.ts'
import { type Asked, offer, type Outcome, saturate } from './offer.ts'

const [machineCount = 200, seconds = 8] = process.argv.slice(2).map(Number)
const connections = 8

const service = await startChild({})
try {
  const machines = Array.from({ length: machineCount }, () => randomUUID())
  for (const id of machines) await service.call('PUT', `/machines/${id}`, { name: id })
  const startMs = Date.now() - 2 * hourMs
  const shape = { machines, samples: machineCount * 1_000, batch: 100, batches: 20, startMs }
  const posted = [...bodies(shape)].map(({ bytes }) => bytes)
  for (const bytes of posted) await send(bytes)
  await service.settled()

  const report = Buffer.from(JSON.stringify(reportBody(startMs)))
  await compare('reports', { url: `${service.url}/reports/production`, key: testKey, body: () => report })
  let next = 0
  const samples = {
    url: `${service.url}/ingest/samples`,
    key: testKey,
    body: () => posted[next++ % posted.length] ?? report,
  }
  await compare('posts of 2,000 samples', samples)
  const beforeMs = performance.now()
  await service.settled()
  console.log(`all samples are in the reports ${((performance.now() - beforeMs) / 1000).toFixed(1)} s later`)
} finally {
  await service.stop()
}

async function send(bytes: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  const response = await fetch(`${service.url}/ingest/samples`, { method: 'POST', headers, body: bytes })
  if (response.status !== 202) throw new Error(await response.text())
}

function reportBody(startMs: number): object {
  const [start, end] = [new Date(startMs), new Date(startMs + hourMs)].map(each => each.toISOString())
  const data = ['oee', 'availability', 'timeInCycle', 'totalParts'].map(metric => ({ metric }))
  return { start, end, data, groupBy: [{ group: 'machine' }] }
}

/** First the capacity is measured; then two thirds of it are sent, as to a service that is not overloaded; then three times as much. */
async function compare(name: string, asked: Asked): Promise<void> {
  await saturate(asked, connections, 1_000)
  const most = await saturate(asked, connections, seconds * 1000)
  print(`${name}, ${connections} at a time`, most)
  for (const [share, times] of [
    ['two thirds of that', 2 / 3],
    ['three times that', 3],
  ] as const) {
    const [outcome, others] = await besides(offer(asked, most.donePerSecond * times, seconds * 1000))
    print(`${name}, ${share}`, outcome)
    console.log(`  list of machines at that load: ${String(others)}`)
  }
}

/** Duration of a small request of another caller in the meantime. */
async function besides<T>(work: Promise<T>): Promise<[T, Times]> {
  const others = new Times()
  const over = new AbortController()
  const asking = (async () => {
    while (!over.signal.aborted) {
      others.add(await timed(() => service.call('GET', '/machines?limit=1')))
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })()
  const result = await work
  over.abort()
  await asking
  return [result, others]
}

function print(name: string, { donePerSecond, refusedPerSecond, times, refusals }: Outcome): void {
  const refused = refusedPerSecond > 0 ? `; refused ${refusedPerSecond.toFixed(0)}/s, ${String(refusals)}` : ''
  console.log(`${name}: done ${donePerSecond.toFixed(0)}/s, ${String(times)}${refused}`)
}
