/**
 * Agents of one process of connectors on the embedded log: time until all are connected, after the start, after all
 * connections were cut, and after the agents were away; memory and CPU time. The agents run in another process.
 * `node --import tsx bench/connect/reconnect.ts [AGENTS] [SECONDS AWAY] [SECONDS OF MEMORY]`; 500, 20 and 30 by default.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAgent } from '../../connect/mtconnect/read-agent.ts'
import { positionsTopic } from '../../connect/positions/position.ts'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import { topics } from '../../schema/topics.ts'
import { defaultConnectorMachine } from '../../schema/records/connector.ts'
import { ConnectorPlant, startProcess } from '../../test/connect/run/process.ts'
import { usedHeapMb } from '../../test/support/heap.ts'
import { median } from '../support/median.ts'
import { ask, nextMessage, startScript } from '../support/processes.ts'
import type { AgentsCommand } from './agents.ts'

const [count = 500, awaySeconds = 20, memorySeconds = 30] = process.argv.slice(2).map(Number)
/** A health contains one entry for each reading of the last minute. */
const pollMs = 250
const path = mkdtempSync(join(tmpdir(), 'takt-bench-'))
const child = startScript(new URL('agents.ts', import.meta.url), [String(count)])
const { urls } = await nextMessage<{ readonly urls: readonly string[] }>(child)
const log = await openEmbeddedLog({ path })
await log.createTopics([
  positionsTopic,
  ...[topics.samples, topics.deadLetters].map(name => ({ name, partitions: 8, retentionMs: null })),
])
const plant = new ConnectorPlant()
const connectors = await startProcess(log, plant, {
  read: readAgent,
  random: Math.random,
  onState: () => undefined,
  positionIntervalMs: 1_000,
})
const before = await readMemory()
for (const [i, address] of urls.entries()) {
  const id = plant.add()
  const { machineId } = plant.source(id)
  plant.put(id, { address, machines: [{ ...defaultConnectorMachine, source: `mill-${i}`, machineId }] })
}
try {
  await measure('after the start', async () => undefined)
  const cpu = process.cpuUsage()
  await sleep(10_000)
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    `connected: ${((user + system) / 100_000).toFixed(1)} % of a core with ${5 * count} observations a second`,
  )
  const after = await readMemory()
  const more = (name: keyof Memory) => `${(after[name] - before[name]).toFixed(0)} MB`
  const range = `${before.rssMb.toFixed(0)} to ${after.rssMb.toFixed(0)} MB`
  console.log(`memory of ${count} agents: ${more('rssMb')} (${range}); in use on the heap ${more('usedMb')}`)
  await measure('after all connections were cut', async () => {
    await cut()
    await tell('accept')
  })
  await measure(`after the agents were away for ${awaySeconds} s`, async () => {
    await cut()
    await sleep(awaySeconds * 1_000)
    await tell('accept')
  })
  console.log(`load ${loadavg()[0]?.toFixed(1)}`)
} finally {
  await connectors.stop()
  child.disconnect()
  await log.close()
  rmSync(path, { recursive: true, force: true })
}

/** Prints how long it takes until all agents are connected after an action. */
async function measure(when: string, act: () => Promise<void>): Promise<void> {
  await act()
  const startedMs = performance.now()
  const cpu = process.cpuUsage()
  while (connectedCount() < count) await sleep(pollMs)
  const { user, system } = process.cpuUsage(cpu)
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
  console.log(
    `${when}: all ${count} connected in ${seconds} s, ${((user + system) / 1_000 / count).toFixed(1)} ms of CPU each`,
  )
}

function connectedCount(): number {
  return [...connectors.connectors.health()].filter(({ health }) => health.state === 'connected').length
}

interface Memory {
  /** Median of the RSS over some time: it contains the space that V8 keeps for garbage. */
  readonly rssMb: number
  /** Heap in use after a forced garbage collection, MiB. */
  readonly usedMb: number
}

async function readMemory(): Promise<Memory> {
  const read: number[] = []
  for (let second = 0; second < memorySeconds; second++) {
    await sleep(1_000)
    read.push(process.memoryUsage.rss() / 1e6)
  }
  return { rssMb: median(read), usedMb: usedHeapMb() }
}

async function cut(): Promise<void> {
  await tell('cut')
  while (connectedCount() > 0) await sleep(pollMs)
}

function tell(command: AgentsCommand): Promise<unknown> {
  return ask(child, command)
}
