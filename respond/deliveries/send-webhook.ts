import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { allowedLookup, type ResolveName } from '../../shared/allowed-lookup.ts'
import { joinSignals } from '../../shared/async/join-signals.ts'
import { literalIp } from '../../shared/literal-ip.ts'
import type { WebhookAddresses } from '../../shared/webhook-addresses.ts'
import { errorText, type Outcome } from './outcome.ts'
import { parseRetryAfter } from './retry-after.ts'
import { signWebhook } from './sign-webhook.ts'

/** Limit of the bytes of a response that are read. */
const maxResponseBytes = 65_536
/** Limit of the time until the response begins. */
const defaultTimeoutMs = 10_000

/** A message to a webhook. */
export interface WebhookMessage {
  readonly url: string
  /** Id of the delivery: the same in each attempt. */
  readonly id: string
  readonly body: string
  /** Secrets (`whsec_…`) that sign. */
  readonly secrets: readonly string[]
}

export interface WebhookPorts {
  readonly addresses: WebhookAddresses
  /** UTC ms. */
  readonly clock: () => number
  /** Aborts the request. */
  readonly signal: AbortSignal
  /** ms, by default 10,000. */
  readonly timeoutMs?: number
  readonly resolve?: ResolveName
}

/**
 * Sends a message to a webhook, signed according to Standard Webhooks. Every connection is new and only to an allowed
 * address; redirects are not followed. Never rejects.
 */
export async function sendWebhook(message: WebhookMessage, ports: WebhookPorts): Promise<Outcome> {
  try {
    return outcomeOf(await send(message, ports), ports.clock())
  } catch (error) {
    return { kind: 'failed', error: errorText(error), retryAfterMs: null }
  }
}

async function send(message: WebhookMessage, ports: WebhookPorts): Promise<IncomingMessage> {
  const { signal, timeoutMs = defaultTimeoutMs } = ports
  requireAllowed(message.url, ports.addresses)
  const expired = AbortSignal.timeout(timeoutMs)
  // Also ends a response whose body does not end.
  const joined = joinSignals(signal, expired)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = open(message, ports, joined.signal)
    request.once('response', resolve)
    // A response with status 101 gives neither a response nor an error.
    request.once('close', () => {
      joined.release()
      reject(new Error('The receiver closed the connection without a response'))
    })
    request.on('error', error =>
      reject(expired.aborted ? new Error(`The receiver did not respond within ${timeoutMs / 1_000} s`) : error),
    )
    request.end(message.body)
  })
  discard(response)
  return response
}

function open(
  message: WebhookMessage,
  { addresses, clock, resolve }: WebhookPorts,
  signal: AbortSignal,
): ClientRequest {
  const { url, id, body, secrets } = message
  const timestampSeconds = Math.floor(clock() / 1_000)
  return (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
    method: 'POST',
    // A connection of another message may be to an address that was allowed for another host only.
    agent: false,
    signal,
    lookup: allowedLookup({
      allows: (ip, hostname) => addresses.allows(ip, hostname),
      notAllowed,
      ...(resolve && { resolve }),
    }),
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': 'Takt',
      'webhook-id': id,
      'webhook-timestamp': timestampSeconds,
      'webhook-signature': signWebhook(secrets, id, timestampSeconds, body),
    },
  })
}

/** Checks addresses that need no lookup. */
function requireAllowed(url: string, addresses: WebhookAddresses): void {
  const ip = literalIp(url)
  if (ip !== null && !addresses.allows(ip)) throw notAllowed(ip)
}

function notAllowed(address: string): Error {
  return new Error(`The address ${address} is not allowed: an administrator can add it to TAKT_WEBHOOK_ALLOW`)
}

/** Reads the body, so that the receiver can finish it, up to the limit, and until the request's signal aborts. */
function discard(response: IncomingMessage): void {
  let bytes = 0
  response.on('error', () => undefined)
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxResponseBytes) response.destroy()
  })
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage, nowMs: number): Outcome {
  const error = `HTTP ${statusCode}`
  if (statusCode >= 200 && statusCode < 300) return { kind: 'sent', note: null }
  if (statusCode === 410) return { kind: 'gone', error }
  const isRedirect = statusCode >= 300 && statusCode < 400
  return {
    kind: 'failed',
    error: isRedirect ? `${error}: redirects are not followed` : error,
    retryAfterMs: parseRetryAfter(headers['retry-after'], nowMs),
  }
}
