/** The gateways of `run.ts`, a process of its own: makes all bodies first, then posts them over a few connections. */
import { Agent, request } from 'node:http'
import { bodies, type Body, type Shape } from './bodies.ts'

export interface ClientOrder extends Shape {
  readonly url: string
  readonly key: string
  readonly connections: number
}

export interface ClientReport {
  readonly accepted: number
  readonly bytes: number
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
  const work = async () => {
    for (let body = all[next++]; body; body = all[next++]) {
      const count = await post(order, agent, body)
      accepted += count
      bytes += body.bytes.length
    }
  }
  await Promise.all(Array.from({ length: order.connections }, work))
  const { user, system } = process.cpuUsage(cpu)
  agent.destroy()
  return { accepted, bytes, elapsedMs: performance.now() - startedMs, cpuUs: user + system }
}

/** How many samples were accepted; asks again where the service has no room now. */
async function post(order: ClientOrder, agent: Agent, body: Body): Promise<number> {
  for (;;) {
    const { status, text } = await send(order, agent, body)
    if (status === 202) {
      const answer: { accepted: number } = JSON.parse(text)
      if (answer.accepted !== body.count) throw new Error(text.slice(0, 500))
      return answer.accepted
    }
    if (status !== 503 && status !== 429) throw new Error(`${status} ${text}`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

function send(
  { url, key, batch }: ClientOrder,
  agent: Agent,
  { bytes }: Body,
): Promise<{ status: number; text: string }> {
  const type = batch === 1 ? 'application/x-ndjson' : 'application/json'
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': bytes.length }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/ingest/samples`, { method: 'POST', agent, headers }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(bytes)
  })
}
