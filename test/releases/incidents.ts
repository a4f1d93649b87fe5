import { setTimeout as sleep } from 'node:timers/promises'
import { tellTo } from '../end-to-end/tell-plant.ts'
import type { TestService } from '../support/service.ts'
import type { RecordedRequest } from './plant.ts'

const machineId = 'b1f3b5f0-3c0e-4a52-8a86-0f4f4d3c2a61'
const request = { method: 'GET', path: '/audit?kind=incident&limit=100' }

/** Makes stops of a machine before the clock of the service open an incident that is resolved and one that is not. */
export async function createIncidents(
  service: Pick<TestService, 'call' | 'settled'>,
  nowMs: number,
): Promise<readonly RecordedRequest[]> {
  const tell = tellTo(service)
  const timeOf = (minutesAgo: number) => new Date(nowMs - minutesAgo * 60_000).toISOString()
  await tell('PUT', `/machines/${machineId}`, { name: 'Watched', staleAfterMs: null })
  const samples = [
    [20, 'ACTIVE'],
    [8, 'READY'],
    [5, 'ACTIVE'],
    [2, 'READY'],
  ] as const
  for (const [minutesAgo, value] of samples) {
    await tell('POST', '/ingest/samples', {
      machineId,
      timestamp: timeOf(minutesAgo),
      key: 'execution',
      type: 'EXECUTION',
      value,
    })
  }
  let found = ''
  const opened = [8, 2].map(minutesAgo => `"openedAt":"${timeOf(minutesAgo)}"`)
  while (!opened.every(text => found.includes(text))) {
    await sleep(100)
    found = JSON.stringify((await service.call(request.method, request.path)).body)
  }
  return [request]
}
