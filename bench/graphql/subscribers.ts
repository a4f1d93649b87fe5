/** Screens of `subscriptions.ts`, with a WebSocket each. The first command opens them; the response to each later one has the figures since the previous one. */
import { WebSocket } from 'ws'

export interface SubscribersOrder {
  readonly url: string
  readonly key: string
  readonly subscribers: number
  /** Each screen uses one of them, in rotation. */
  readonly queries: readonly string[]
}

export interface SubscribersReport {
  readonly results: number
  readonly bytes: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly closed: number
}

const atOnce = 20
/** Parsing results costs more than receiving them: only one of this number of screens parses them. */
const looksAtOneIn = 7

let results = 0
let bytes = 0
let closed = 0
let agesMs: number[] = []
let sinceMs = performance.now()

process.once('message', (order: SubscribersOrder) => {
  openAll(order).then(
    () => {
      process.on('message', () => process.send?.(report()))
      process.send?.({})
    },
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function openAll({ url, key, subscribers, queries }: SubscribersOrder): Promise<void> {
  for (let first = 0; first < subscribers; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, subscribers - first) }, (_, i) => first + i)
    await Promise.all(
      some.map(i => open(url, key, { query: queries[i % queries.length] ?? '', isLooking: i % looksAtOneIn === 0 })),
    )
  }
}

interface Screen {
  readonly query: string
  readonly isLooking: boolean
}

/** Resolves when the first result has arrived. */
function open(url: string, key: string, { query, isLooking }: Screen): Promise<void> {
  return new Promise((resolve, reject) => {
    const webSocket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    const send = (message: object) => webSocket.send(JSON.stringify(message))
    webSocket.on('open', () =>
      send({ type: 'connection_init', payload: { headers: { Authorization: `Bearer ${key}` } } }),
    )
    webSocket.on('error', reject)
    webSocket.on('close', () => closed++)
    let isFirst = true
    let newestMs = 0
    webSocket.on('message', (data: Buffer) => {
      if (data.includes('"connection_ack"')) return send({ id: '1', type: 'subscribe', payload: { query } })
      if (data.includes('"type":"error"')) return reject(new Error(data.toString()))
      if (isFirst) resolve()
      isFirst = false
      bytes += data.length
      results++
      if (isLooking) newestMs = look(data.toString(), newestMs)
    })
  })
}

/**
 * Records the age of the newest value of a result, and returns the time at which it was sent. A result without a newer value than the
 * previous one is left out: it was caused by a value without a time of sending.
 */
function look(text: string, formerMs: number): number {
  const newestMs = [...text.matchAll(/"value":"(\d{13}) /g)].reduce(
    (max, [, at]) => Math.max(max, Number(at)),
    formerMs,
  )
  if (newestMs > formerMs && formerMs > 0) agesMs.push(Date.now() - newestMs)
  return newestMs
}

function report(): SubscribersReport {
  const sorted = agesMs.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const seconds = (performance.now() - sinceMs) / 1000
  const made = { results, bytes, seconds, p50Ms: at(0.5), p99Ms: at(0.99), closed }
  results = bytes = 0
  agesMs = []
  sinceMs = performance.now()
  return made
}
