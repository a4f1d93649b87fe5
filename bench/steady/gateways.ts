/**
 * Gateways of `run.ts`, a separate process. Each has some of the machines, and posts once a second their samples since its last
 * post. The rate is constant whether the service keeps up or not; a rejected post is sent again.
 */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Body, decidingEvery, sampleOf } from '../ingest/bodies.ts'
import { post } from '../ingest/post.ts'

export interface GatewaysOrder {
  readonly url: string
  readonly key: string
  readonly machines: readonly string[]
  /** Samples a second of all machines together. */
  readonly perSecond: number
  /** The machines have worked for this time before: their state samples of that time are sent first. */
  readonly beforeMs: number
}

export interface GatewaysReport {
  readonly accepted: number
  /** Posts that were rejected and sent again. */
  readonly refused: number
  /** Posts without a response so far. */
  readonly waiting: number
  readonly cpuUs: number
}

/** The given number of gateways: each posts once a second, one after the other. */
const gatewayCount = 50
const connections = 32

process.once('message', (order: GatewaysOrder) => {
  const state = { accepted: 0, refused: 0, waiting: 0 }
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const cpu = process.cpuUsage()
  const report = (): GatewaysReport => {
    const { user, system } = process.cpuUsage(cpu)
    return { ...state, cpuUs: user + system }
  }
  const answer = () => process.send?.(report())
  process.on('message', answer)
  answer()
  run(order, agent, state).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})

async function run(
  order: GatewaysOrder,
  agent: Agent,
  state: { accepted: number; refused: number; waiting: number },
): Promise<never> {
  const size = Math.ceil(order.machines.length / gatewayCount)
  // The machines change their state at different times.
  const measured = Float64Array.from(order.machines, (_, machine) => machine % decidingEvery)
  for (let from = 0; from < order.machines.length && order.beforeMs > 0; from += size) {
    await post(order, agent, earlierBody(order, measured, from, from + size), () => state.refused++)
  }
  const startedMs = performance.now()
  for (let turn = 0; ; turn++) {
    const from = (turn % gatewayCount) * size
    const body = bodyOf(order, measured, from, from + size)
    if (body.count > 0) {
      state.waiting++
      void post(order, agent, body, () => state.refused++).then(
        count => {
          state.accepted += count
          state.waiting--
        },
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
    }
    await sleep(Math.max(0, startedMs + ((turn + 1) * 1_000) / gatewayCount - performance.now()))
  }
}

/** Earlier state samples of these machines. */
function earlierBody(
  { machines, perSecond, beforeMs }: GatewaysOrder,
  measured: Float64Array,
  from: number,
  to: number,
): Body {
  const each = perSecond / machines.length
  const sinceMs = Date.now() - beforeMs
  let count = 0
  const batches = machines.slice(from, to).map((machineId, i) => {
    const first = measured[from + i] ?? 0
    const end = first + Math.floor((each * beforeMs) / 1_000)
    measured[from + i] = end
    const samples: object[] = []
    for (let n = Math.ceil(first / decidingEvery) * decidingEvery; n < end; n += decidingEvery)
      samples.push(sampleOf(n, Math.round(sinceMs + ((n - first) / each) * 1_000)))
    count += samples.length
    return { machineId, samples }
  })
  return { bytes: Buffer.from(JSON.stringify(batches)), count }
}

/** Samples of these machines in the last second: each sends those that are due; a fraction is carried over. */
function bodyOf({ machines, perSecond }: GatewaysOrder, measured: Float64Array, from: number, to: number) {
  const each = perSecond / machines.length
  const nowMs = Date.now()
  let count = 0
  const batches: object[] = []
  for (const [i, machineId] of machines.slice(from, to).entries()) {
    const before = measured[from + i] ?? 0
    const after = before + each
    measured[from + i] = after
    const [first, end] = [Math.floor(before), Math.floor(after)]
    if (end === first) continue
    const spacingMs = 1_000 / (end - first)
    const samples = Array.from({ length: end - first }, (_, n) =>
      sampleOf(first + n, Math.round(nowMs - (end - first - n) * spacingMs)),
    )
    batches.push({ machineId, samples })
    count += end - first
  }
  return { bytes: Buffer.from(JSON.stringify(batches)), count }
}
