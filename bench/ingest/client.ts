/** The gateways of `run.ts`, a separate process: creates all bodies first, then posts them over a few connections. */
import { Agent } from 'node:http'
import { bodies, type Body, type Shape } from './bodies.ts'
import { post } from './post.ts'

export interface ClientOrder extends Shape {
  readonly url: string
  readonly key: string
  readonly connections: number
}

export interface ClientReport {
  readonly accepted: number
  readonly bytes: number
  /** Posts that were rejected and sent again. */
  readonly refused: number
  readonly elapsedMs: number
  readonly cpuUs: number
}

process.once('message', (order: ClientOrder) => {
  const all = [...bodies(order)]
  process.send?.('ready')
  process.once('message', () => {
    postAll(order, all).then(
      report => process.send?.(report),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
})

async function postAll(order: ClientOrder, all: readonly Body[]): Promise<ClientReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections })
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  let next = 0
  let accepted = 0
  let bytes = 0
  let refused = 0
  const work = async () => {
    for (let body = all[next++]; body; body = all[next++]) {
      const count = await post(order, agent, body, () => refused++)
      accepted += count
      bytes += body.bytes.length
    }
  }
  await Promise.all(Array.from({ length: order.connections }, work))
  const { user, system } = process.cpuUsage(cpu)
  agent.destroy()
  return { accepted, bytes, refused, elapsedMs: performance.now() - startedMs, cpuUs: user + system }
}
