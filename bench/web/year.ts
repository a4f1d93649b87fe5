import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildService } from '../../test/support/child-service.ts'
import { dayMs, hourMs, minuteMs } from '../../shared/time/units.ts'

const yearDays = 365
const postSize = 5_000
/** Pause before a post that was rejected for overload is sent again. */
const retryMs = 200

/** A machine that has worked and stopped alternately for a year, ten minutes each, and the range of that year (UTC ms). */
export interface YearOfMachine {
  readonly machineId: string
  readonly startMs: number
  readonly endMs: number
}

/** Creates a machine and posts its samples of a year; resolves when all are accepted. */
export async function addYear(service: ChildService): Promise<YearOfMachine> {
  const machineId = randomUUID()
  const endMs = Math.floor(Date.now() / hourMs) * hourMs
  const startMs = endMs - yearDays * dayMs
  await service.call('PUT', `/machines/${machineId}`, { name: 'A year', maxSampleAgeDays: yearDays + 1 })
  const samples = Array.from({ length: (yearDays * dayMs) / (10 * minuteMs) }, (_, i) => ({
    timestamp: new Date(startMs + i * 10 * minuteMs).toISOString(),
    key: 'execution',
    type: 'EXECUTION',
    value: i % 2 === 0 ? 'ACTIVE' : 'READY',
  }))
  for (let first = 0; first < samples.length; first += postSize) {
    const body = { machineId, samples: samples.slice(first, first + postSize) }
    let { status } = await service.call('POST', '/ingest/samples', body)
    for (; status === 503; await sleep(retryMs)) ({ status } = await service.call('POST', '/ingest/samples', body))
    if (status !== 202) throw new Error(`POST /ingest/samples answered ${status}`)
  }
  return { machineId, startMs, endMs }
}
