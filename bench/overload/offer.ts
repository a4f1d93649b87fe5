import { Agent, request } from 'node:http'
import { Times } from '../reports/measure.ts'

/** A request that is sent repeatedly. */
export interface Asked {
  readonly url: string
  readonly key: string
  readonly body: () => Buffer
}

export interface Outcome {
  /** Responses a second by kind: completed ones, and those rejected with 429 or 503. */
  readonly donePerSecond: number
  readonly refusedPerSecond: number
  /** Durations of completed requests. */
  readonly times: Times
  readonly refusals: Times
}

/** Sends requests as fast as the connections allow, which measures the capacity of the service. */
export async function saturate(asked: Asked, connections: number, durationMs: number): Promise<Outcome> {
  const meter = new Meter(asked, connections)
  const untilMs = performance.now() + durationMs
  const work = async (): Promise<void> => {
    while (performance.now() < untilMs) await meter.send()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return meter.end()
}

/** Sends the given number of requests a second, whether the service keeps up or not. */
export async function offer(asked: Asked, perSecond: number, durationMs: number): Promise<Outcome> {
  const meter = new Meter(asked, Infinity)
  const startedMs = performance.now()
  const sent: Promise<void>[] = []
  while (performance.now() - startedMs < durationMs) {
    const due = ((performance.now() - startedMs) / 1000) * perSecond
    while (sent.length < due) sent.push(meter.send())
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  await Promise.all(sent)
  return meter.end()
}

class Meter {
  readonly #asked: Asked
  readonly #agent: Agent
  readonly #startedMs = performance.now()
  readonly #times = new Times()
  readonly #refusals = new Times()
  #done = 0
  #refused = 0

  constructor(asked: Asked, connections: number) {
    this.#asked = asked
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  async send(): Promise<void> {
    const body = this.#asked.body()
    const beforeMs = performance.now()
    const status = await post(this.#asked, this.#agent, body)
    const durationMs = performance.now() - beforeMs
    if (status < 300) {
      this.#done++
      this.#times.add(durationMs)
    } else if (status === 429 || status === 503) {
      this.#refused++
      this.#refusals.add(durationMs)
    } else throw new Error(`The service answered ${status}`)
  }

  end(): Outcome {
    this.#agent.destroy()
    const seconds = (performance.now() - this.#startedMs) / 1000
    const [donePerSecond, refusedPerSecond] = [this.#done / seconds, this.#refused / seconds]
    return { donePerSecond, refusedPerSecond, times: this.#times, refusals: this.#refusals }
  }
}

function post({ url, key }: Asked, agent: Agent, body: Buffer): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, response => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
