import { setTimeout as sleep } from 'node:timers/promises'
import type { WireSample } from '../../schema/topics.ts'
import type { TestService } from '../support/service.ts'

export interface PostingOptions {
  readonly samples: readonly WireSample[]
  /** Number of samples of one request. */
  readonly size: number
  /** Number of concurrent requests. */
  readonly senders: number
  /** Returns the service that receives the next request; it may change at any time. */
  readonly call: () => TestService['call']
  /** Time between a failure and the next attempt, ms. */
  readonly retryMs?: number
}

export interface Posting {
  /** Resolves when every sample was accepted (202). */
  readonly done: Promise<void>
  /** Returns the share of the requests that were accepted (202), 0 to 1. */
  share(): number
  /** Number of other responses, by status; 0: no response. */
  readonly failures: ReadonlyMap<number, number>
}

/** Posts samples as gateways do: many small concurrent requests, each retried until it is accepted (202). */
export function startPosting({ samples, size, senders, call, retryMs = 50 }: PostingOptions): Posting {
  const requests = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) =>
    samples.slice(index * size, (index + 1) * size),
  )
  const left = [...requests]
  const failures = new Map<number, number>()
  let accepted = 0

  async function send(request: readonly WireSample[]): Promise<void> {
    for (;;) {
      const status = await post(call(), request)
      if (status === 202) break
      failures.set(status, (failures.get(status) ?? 0) + 1)
      await sleep(retryMs)
    }
    accepted++
  }

  async function sendAll(): Promise<void> {
    for (let request = left.shift(); request; request = left.shift()) await send(request)
  }

  const done = Promise.all(Array.from({ length: senders }, sendAll)).then(() => undefined)
  return { done, share: () => accepted / requests.length, failures }
}

/** Returns the status of the response; 0 without one. A rejected sample fails the test. */
async function post(call: TestService['call'], request: readonly WireSample[]): Promise<number> {
  const answer = await call('POST', '/ingest/samples', request).catch(() => null)
  if (!answer) return 0
  if (answer.status === 202) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the route answers
    const { rejected } = answer.body as { readonly rejected: readonly unknown[] }
    if (rejected.length > 0) throw new Error(JSON.stringify(rejected))
  }
  return answer.status
}
