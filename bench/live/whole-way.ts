/**
 * From a posted sample to the screen that shows it, in an embedded service: `node --import tsx
 * bench/live/whole-way.ts`. One gateway posts one sample at a time; then 20 more post batches of 50 continuously.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type ChildService } from '../../test/support/child-service.ts'
import { joined, type LiveClient } from '../../test/support/live-client.ts'
import { testKey } from '../../test/support/service.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
try {
  const machines = await Promise.all(Array.from({ length: 21 }, () => addMachine(service)))
  const [watched = '', ...others] = machines
  const screen = await joined('plain', service.url, 'diagnostics', testKey)
  screen.send('set_machines', [watched])
  await measure('one at a time', service, screen, watched)
  const load = { isOver: false, sent: 0 }
  const gateways = others.map(async machineId => {
    for (let value = 0; !load.isOver; value++) {
      await post(
        service,
        machineId,
        Array.from({ length: 50 }, (_, i) => `${value} ${i}`),
      )
      load.sent += 50
    }
  })
  const startedMs = performance.now()
  await measure('beside others', service, screen, watched)
  load.isOver = true
  console.log(`other gateways: ${Math.round((load.sent / (performance.now() - startedMs)) * 1000)} samples/s`)
  await Promise.all(gateways)
  screen.close()
} finally {
  await service.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

async function measure(name: string, child: ChildService, screen: LiveClient, machineId: string): Promise<void> {
  const latencies: number[] = []
  for (let round = 0; round < 200; round++) {
    const value = `${name} ${round}`
    const postedMs = performance.now()
    const seen = new Promise<void>(resolve => {
      const look = () => (screen.of('update').at(-1)?.value === value ? resolve() : setImmediate(look))
      look()
    })
    await Promise.all([post(child, machineId, [value]), seen.then(() => latencies.push(performance.now() - postedMs))])
    screen.events.length = 0
  }
  latencies.sort((a, b) => a - b)
  console.log(`${name}: p50 ${latencies[100]?.toFixed(1)} ms, p99 ${latencies[198]?.toFixed(1)} ms`)
}

async function addMachine({ call }: ChildService): Promise<string> {
  const id = randomUUID()
  await call('PUT', `/machines/${id}`, { name: id })
  return id
}

async function post({ call }: ChildService, machineId: string, values: readonly string[]): Promise<void> {
  const timestamp = new Date().toISOString()
  const samples = values.map((value, i) => ({ timestamp, key: `load ${i}`, type: 'LOAD', value }))
  await call('POST', '/ingest/samples', { machineId, samples })
}
