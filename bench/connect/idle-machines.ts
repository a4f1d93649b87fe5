/**
 * CPU time of a service without readers whose 24 machines are read through one MTConnect agent, in relation to a gateway that
 * posts the same samples once a second. The agent and the gateway run in this process; the ways alternate.
 * `node --import tsx bench/connect/idle-machines.ts [SECONDS] [ROUNDS]`; 30 and 2 by default.
 */
import { randomUUID } from 'node:crypto'
import { loadavg } from 'node:os'
import { setInterval as every, setTimeout as sleep } from 'node:timers/promises'
import type { AgentDevice } from '../../demo/mtconnect-agent/agent-model.ts'
import { MtconnectAgent } from '../../demo/mtconnect-agent/agent.ts'
import { startChild } from '../../test/support/child-service.ts'
import { readAs } from '../../test/support/read-as.ts'
import { median } from '../support/median.ts'
import { cpuOf } from '../support/usage.ts'

const [seconds = 30, rounds = 2] = process.argv.slice(2).map(Number)
/** Each machine sends a sample in three seconds: 8 a second, as the simulated plant. */
const [machines, perSecond] = [24, 8]
const settleMs = 12_000

const ids = Array.from({ length: machines }, () => randomUUID())
const devices = ids.map((id, i): AgentDevice => ({
  name: `Mill ${i}`,
  uuid: id,
  items: [
    { id: `exec${i}`, name: 'execution', category: 'EVENT', type: 'EXECUTION' },
    { id: `pos${i}`, name: 'position', category: 'SAMPLE', type: 'POSITION' },
  ],
}))
const agent = await MtconnectAgent.start({ devices, bufferSize: 4_096 })
const service = await startChild({})
try {
  for (const [i, id] of ids.entries()) await put(`/machines/${id}`, { name: `Mill ${i}` })
  const shares = { none: [] as number[], posts: [] as number[], agent: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    shares.none.push(await shareWhile(async () => undefined))
    shares.posts.push(await shareWhile(post))
    await connect(true)
    shares.agent.push(await shareWhile(async samples => void agent.add(...samples.map(toObservation))))
    await requireRead()
    await connect(false)
  }
  const shown = (values: readonly number[]) => `${median(values).toFixed(1)} % of a core`
  console.log(`no samples            ${shown(shares.none)}`)
  console.log(`posts of a gateway    ${shown(shares.posts)}`)
  console.log(`one MTConnect agent   ${shown(shares.agent)}`)
  console.log(`agent beyond posts    ${(median(shares.agent) - median(shares.posts)).toFixed(1)} % of a core (goal 2)`)
  console.log(`load ${loadavg()[0]?.toFixed(1)}`)
} finally {
  await service.stop()
  await agent.close()
}

interface Sent {
  readonly machine: number
  readonly timestamp: string
  readonly item: 'exec' | 'pos'
  readonly value: string
}

/** Sends each second, and returns the share of a core that the service takes after it has settled, in percent. */
async function shareWhile(send: (samples: readonly Sent[]) => Promise<void>): Promise<number> {
  const begunMs = performance.now()
  let from: { readonly us: number; readonly ms: number } | null = null
  let tick = 0
  for await (const _ of every(1_000)) {
    await send(samplesOf(tick++))
    const nowMs = performance.now()
    const { all: us } = cpuOf(service.pid)
    if (from === null && nowMs - begunMs >= settleMs) from = { us, ms: nowMs }
    else if (from !== null && nowMs - from.ms >= seconds * 1_000) return (us - from.us) / (nowMs - from.ms) / 10
  }
  return 0
}

/** Every fiftieth sample changes the state of its machine. */
function samplesOf(tick: number): readonly Sent[] {
  const timestamp = new Date().toISOString()
  return Array.from({ length: perSecond }, (_, i): Sent => {
    const n = tick * perSecond + i
    const machine = n % machines
    return n % 50 === 0
      ? { machine, timestamp, item: 'exec', value: n % 100 === 0 ? 'ACTIVE' : 'READY' }
      : { machine, timestamp, item: 'pos', value: String(n % 1_000) }
  })
}

async function post(samples: readonly Sent[]): Promise<void> {
  const body = samples.map(({ machine, timestamp, item, value }) => ({
    machineId: ids[machine],
    timestamp,
    value,
    ...(item === 'exec'
      ? { key: 'execution', type: 'EXECUTION' }
      : { key: 'position', type: 'POSITION', category: 'SAMPLE' }),
  }))
  const { status } = await service.call('POST', '/ingest/samples', body)
  if (status !== 202) throw new Error(`A post was answered with ${status}`)
}

function toObservation({ machine, timestamp, item, value }: Sent) {
  return { dataItemId: `${item}${machine}`, timestamp, value }
}

/** Creates the connector, or turns it off; resolves when it has the state. */
async function connect(enabled: boolean): Promise<void> {
  const own = ids.map(id => ({ source: id, machineId: id }))
  await put('/connectors/agent', { name: 'Agent', kind: 'mtconnect', address: agent.url, enabled, machines: own })
  for (;;) {
    const { body } = await service.call('GET', '/connectors/agent')
    if (readAs<{ state: string }>(body).state === (enabled ? 'connected' : 'disabled')) return
    await sleep(200)
  }
}

/** Throws if the connector has not read the samples of the measured time. */
async function requireRead(): Promise<void> {
  const { body } = await service.call('GET', '/connectors/agent')
  const { totals } = readAs<{ totals: { observations: number } | null }>(body)
  if ((totals?.observations ?? 0) < seconds * perSecond)
    throw new Error(`The connector has read ${totals?.observations ?? 0} observations only`)
}

async function put(path: string, body: object): Promise<void> {
  const { status } = await service.call('PUT', path, body)
  if (status !== 200) throw new Error(`PUT ${path} was answered with ${status}`)
}
