import type { Random } from '../../demo/simulate/random.ts'
import type { Callers } from './callers.ts'
import type { FuzzRequest } from './requests.ts'

/** Responses during an attack. */
export interface Attack {
  /** Number of responses by status; 0: the connection broke. */
  readonly statuses: Map<number, number>
  /** Requests with a forbidden response, each with that response. */
  readonly faults: string[]
}

export interface AttackOptions {
  readonly url: string
  readonly requests: number
  /** Number of concurrent requests. */
  readonly width: number
  readonly random: Random
  readonly callers: Callers
  readonly next: () => FuzzRequest
  /** Called after every hundred requests, with the responses so far. */
  readonly onHundred: (done: number, found: Attack) => Promise<void>
}

const timeoutMs = 60_000

/** Sends requests, and records each 5xx response except a 503 with a Retry-After header. */
export async function attack({ requests, width, onHundred, ...options }: AttackOptions): Promise<Attack> {
  const found: Attack = { statuses: new Map(), faults: [] }
  let left = requests
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left > 0) {
        const number = requests - --left
        await sendOne(options, found)
        if (number % 100 === 0) await onHundred(number, found)
      }
    }),
  )
  return found
}

async function sendOne(
  { url, random, callers, next }: Pick<AttackOptions, 'url' | 'random' | 'callers' | 'next'>,
  { statuses, faults }: Attack,
): Promise<void> {
  const request = next()
  const who = callers[random.integer(0, callers.length)] ?? {}
  const answer = await answerOf(url, request, who)
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  if (answer.fault === null) return
  const body = request.body?.subarray(0, 1000).toString() ?? ''
  faults.push(`${request.method} ${request.path.slice(0, 300)} ${body}\n→ ${answer.status} ${answer.fault}`)
}

async function answerOf(
  url: string,
  { method, path, headers, body }: FuzzRequest,
  who: Readonly<Record<string, string>>,
) {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...who },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== null && method !== 'GET' && { body: new Uint8Array(body) }),
    })
    const text = await response.text()
    const { status } = response
    if (status === 503 && response.headers.has('retry-after')) return { status, fault: null }
    return { status, fault: status >= 500 ? text.slice(0, 1000) : null }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return { status: 0, fault: isLate ? `no answer within ${timeoutMs} ms` : null }
  }
}
