/**
 * Live updates to many screens, on loopback: server, generator and clients are separate processes on one machine.
 * `node --import tsx bench/live/run.ts [connections] [seconds] [way] [neighbours]`; 10,000, 10, every way (uws, ws, main) and none by default.
 * A neighbour is a process that keeps a core busy all the time: with two of them, the load exceeds the capacity. Open files: 25,000.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, nextMessage, startScript } from '../support/processes.ts'
import type { ClientsCommand, ClientsReport } from './clients.ts'

const [connections = 10_000, seconds = 10] = process.argv.slice(2, 4).map(Number)
const only = process.argv[4]
const neighbours = Number(process.argv[5] ?? 0)
const machines = 10

interface Usage {
  readonly cpu: NodeJS.CpuUsage
  readonly rss: number
}

interface Ports {
  readonly main: number
  readonly changes: number
  readonly own: number
  /** Package of the engine and its version. */
  readonly source: string
}

const start = (script: string, args: readonly string[] = []) =>
  startScript(new URL(script, import.meta.url), args, ['--expose-gc'])

const tell = <T>(child: ChildProcess, command: ClientsCommand) => ask<T>(child, command)

/** Measures one engine on one way and prints a line for each measurement. */
async function measure(name: string, engine: string, way: 'own' | 'main', count: number): Promise<void> {
  const server = start('server.ts', [engine])
  const clients = start('clients.ts')
  try {
    const ports = await nextMessage<Ports>(server)
    const port = ports[way]
    print(name, ports.source)
    const before = await ask<Usage>(server, {})
    const connected = await tell<{ ms: number }>(clients, { do: 'connect', port, count, atOnce: 200, machines })
    await sleep(1_000)
    const idle = await ask<Usage>(server, {})
    const each = (idle.rss - before.rss) / count / 1024
    print(name, `${count} connected in ${s(connected.ms)}, ${each.toFixed(1)} kB each`)
    for (const perSecond of [1_500, 15_000, 25_000, ...(neighbours > 0 ? [50_000] : [])])
      await load(name, perSecond, { server, clients, ports })
    await tell(clients, { do: 'close' })
    await sleep(1_000)
    const again = await tell<{ ms: number }>(clients, { do: 'connect', port, count, atOnce: count, machines })
    print(name, `all reconnected at the same time, each with a snapshot of 100 values: ${s(again.ms)}`)
  } finally {
    server.kill()
    clients.kill()
  }
}

interface Processes {
  readonly server: ChildProcess
  readonly clients: ChildProcess
  readonly ports: Ports
}

async function load(name: string, perSecond: number, { server, clients, ports }: Processes): Promise<void> {
  const generator = start('generator.ts', [ports.changes, perSecond, seconds + 2].map(String))
  const done = nextMessage(generator)
  await sleep(2_000)
  await tell(clients, { do: 'reset' })
  const before = await ask<Usage>(server, {})
  await sleep((seconds - 1) * 1000)
  const after = await ask<Usage>(server, {})
  const got = await tell<ClientsReport>(clients, { do: 'report' })
  const cpu = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1e6 / got.seconds
  const rate = Math.round(got.updates / got.seconds)
  const ages = `age p50 ${got.p50}, p99 ${got.p99}, oldest ${got.max} ms (the clients' own delay up to ${got.loopDelayMs.toFixed(0)} ms)`
  const memory = `${(before.rss / 1e6).toFixed(0)} → ${(after.rss / 1e6).toFixed(0)} MB`
  print(
    name,
    `${perSecond} changes/s: ${rate} updates/s, ${ages}; server ${cpu.toFixed(2)} cores, ${((cpu / rate) * 1e6).toFixed(2)} µs an update, ${memory}; closed ${got.closed}`,
  )
  await done
  await sleep(1_500)
}

function print(name: string, text: string): void {
  console.log(`${name.padEnd(16)} ${text}`)
}

const s = (ms: number) => `${(ms / 1000).toFixed(1)} s`

console.log(`load of the machine before: ${loadavg()[0]?.toFixed(1)}`)
const busy = Array.from({ length: neighbours }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
process.on('exit', () => {
  for (const child of busy) child.kill('SIGKILL')
})
const isAsked = (way: string) => only === undefined || only === 'all' || only === way
if (isAsked('uws')) await measure('uws', 'uws', 'own', connections)
if (isAsked('ws')) await measure('ws', 'ws', 'own', connections)
if (isAsked('main')) await measure('uws, passed on', 'uws', 'main', Math.floor(connections / 2))
for (const child of busy) child.kill('SIGKILL')
