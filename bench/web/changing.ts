/**
 * Gateways of `run.ts`, a separate process: a machine changes its execution the given number of times a second, the machines in rotation. The rate is
 * constant whether the service keeps up or not; a rejected post is sent again.
 */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { post } from '../ingest/post.ts'

export interface ChangesOrder {
  readonly url: string
  readonly key: string
  readonly machines: readonly string[]
  /** Changes a second of all machines together. */
  readonly perSecond: number
}

export interface ChangesReport {
  readonly accepted: number
  /** Posts that were rejected and sent again. */
  readonly refused: number
}

const postsPerSecond = 50
const connections = 8

process.once('message', (order: ChangesOrder) => {
  const state = { accepted: 0, refused: 0 }
  const answer = () => process.send?.({ ...state } satisfies ChangesReport)
  process.on('message', answer)
  answer()
  run(order, state).catch(fail)
})

async function run(order: ChangesOrder, state: { accepted: number; refused: number }): Promise<never> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const size = Math.ceil(order.perSecond / postsPerSecond)
  const startedMs = performance.now()
  for (let turn = 0; ; turn++) {
    post(order, agent, bodyOf(order.machines, turn * size, size), () => state.refused++).then(
      count => (state.accepted += count),
      fail,
    )
    await sleep(Math.max(0, startedMs + ((turn + 1) * 1_000) / postsPerSecond - performance.now()))
  }
}

/** The given number of changes from the `first`th on: each machine works and stops alternately. */
function bodyOf(machines: readonly string[], first: number, count: number) {
  const timestamp = new Date().toISOString()
  const batches = Array.from({ length: count }, (_, i) => {
    const value = Math.floor((first + i) / machines.length) % 2 === 0 ? 'ACTIVE' : 'READY'
    const machineId = machines[(first + i) % machines.length]
    return { machineId, samples: [{ timestamp, key: 'execution', type: 'EXECUTION', value }] }
  })
  return { bytes: Buffer.from(JSON.stringify(batches)), count }
}

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}
