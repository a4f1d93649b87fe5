import { serviceUrl } from '../router/address.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'
import { nextQuery, type QueryValues } from './next-query.ts'
import { checkReach } from './reach.ts'
import { RepeatKeys } from './repeat-keys.ts'
import { retryWaitMs } from './retry.ts'

/** Error of one field of a request. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

/** A response other than 2xx; its message can be shown. `status` 0: the service did not respond. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly status: number
  readonly errors: readonly FieldError[]
  readonly retryAfterMs: number

  constructor(status: number, message: string, errors: readonly FieldError[] = [], retryAfterMs = 0) {
    super(message)
    this.status = status
    this.errors = errors
    this.retryAfterMs = retryAfterMs
  }
}

/** Options of a call: values of the path and of the query, and the body where the route takes one. */
type Options<E extends Endpoint> = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: QueryValues
} & (Endpoints[E]['body'] extends undefined ? { readonly body?: undefined } : { readonly body: Endpoints[E]['body'] })

type Rest<E extends Endpoint> = Endpoints[E]['body'] extends undefined ? [Options<E>?] : [Options<E>]

const timeoutMs = 30_000
const tokenLifetimeMs = 50 * 60_000

/** Routes that accept an `Idempotency-Key`, except `POST /api-keys`: its repeated response lacks the key. */
const keyed: ReadonlySet<Endpoint> = new Set<Endpoint>([
  'POST /part-adjustment',
  'POST /part-adjustment-types',
  'POST /downtime-reasons',
  'POST /downtime-records/categorize',
  'POST /downtime-records/split',
  'POST /downtime-records/merge',
  'POST /erp/jobdispatch/start',
  'POST /erp/jobdispatch/production',
  'POST /erp/jobdispatch/stop',
  'POST /users',
  'POST /incidents/:id/acknowledge',
  'POST /incidents/:id/resolve',
  'POST /incidents/:id/assign',
  'POST /incidents/:id/comment',
  'POST /calls',
])

/** Calls the service that this page came from, in the name of a key or of the user who is signed in. */
export class Client {
  /** null: the browser sends the cookie of the session. */
  readonly key: string | null
  /** Called with 401: the key or the session counts no more. */
  onRefused: () => void = () => undefined
  /** How far the latest report was behind. */
  lagMs = 0
  /** How far the service's clock is ahead of this device's. */
  clockAheadMs = 0
  #token: { readonly text: Promise<string>; readonly untilMs: number } | null = null
  readonly #keys = new RepeatKeys()
  /** Queries of next pages, by the pages before them. */
  readonly #next = new WeakMap<object, QueryValues>()

  constructor(key: string | null) {
    this.key = key
  }

  /**
   * Calls a route; rejects with a `RequestFailed`. An overloaded service gets a read again. A change whose response was
   * lost is applied once if it is called again with the same values.
   */
  async call<E extends Endpoint>(endpoint: E, ...[options]: Rest<E>): Promise<Endpoints[E]['response']> {
    const [method = 'GET', path = '/'] = endpoint.split(' ')
    const address = path
      .slice(1)
      .replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(options?.params?.[name] ?? ''))
    const headers: Readonly<Record<string, string>> = this.key === null ? {} : { authorization: `Bearer ${this.key}` }
    const send = (more: Readonly<Record<string, string>> = {}) =>
      this.#fetch(method, address + queryOf(options?.query ?? {}), { ...headers, ...more }, options?.body)
    const payload = await (keyed.has(endpoint)
      ? this.#once(JSON.stringify([endpoint, options]), send)
      : isRead(endpoint)
        ? withRetries(send)
        : send())
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service keeps to its schemas, as its tests check
    return payload as Endpoints[E]['response']
  }

  /** Reads the pages of a list, up to a number of items: the rest is left out. */
  async readPages<E extends Endpoint>(
    endpoint: E,
    query: QueryValues,
    maxItems: number,
  ): Promise<readonly (Endpoints[E]['response'] extends readonly (infer Item)[] ? Item : never)[]> {
    type Items = readonly (Endpoints[E]['response'] extends readonly (infer Item)[] ? Item : never)[]
    const all: Items[number][] = []
    for (let page: QueryValues | undefined = query; page !== undefined && all.length < maxItems;) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of a list, as the signature demands
      const items = (await this.call(endpoint, ...([{ query: page }] as unknown as Rest<E>))) as Items
      all.push(...items)
      page = this.#next.get(items)
    }
    return all.slice(0, maxItems)
  }

  /** Calls a route that answers with lines of JSON, and passes on each; resolves at the end, also if the signal aborts. */
  async readLines(
    path: string,
    body: unknown,
    { signal, onLine }: { readonly signal: AbortSignal; readonly onLine: (line: unknown) => void },
  ): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      ...(this.key !== null && { authorization: `Bearer ${this.key}` }),
    }
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal }
    try {
      const response = await fetch(new URL(path, serviceUrl), request)
      if (!response.ok) throw failureOf(response, await response.json().catch(() => null))
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        const lines = (text + part.value).split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) onLine(JSON.parse(line))
      }
    } catch (error) {
      if (signal.aborted) return
      throw error instanceof RequestFailed ? error : new RequestFailed(0, '')
    }
  }

  /** Asks GraphQL, which takes no cookie but a token; asks again, as for every read, where the service is too busy. */
  async graphql<T>(query: string, variables: object = {}): Promise<T> {
    const headers = { authorization: `Bearer ${await this.token()}` }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every GraphQL response has this shape
    const payload = (await withRetries(() =>
      this.#fetch('POST', 'graphql', headers, { query, variables }),
    )) as GraphqlResponse<T>
    if (payload.data) return payload.data
    if (payload.errors?.some(({ extensions }) => extensions?.code === 'invalid-jwt')) this.forgetToken()
    throw new RequestFailed(400, payload.errors?.[0]?.message ?? 'The GraphQL response is empty')
  }

  /** A key or token for the live channels. */
  token(): Promise<string> {
    if (this.key !== null) return Promise.resolve(this.key)
    if (this.#token === null || this.#token.untilMs < Date.now()) {
      const text = this.call('GET /user-token')
      this.#token = { text, untilMs: Date.now() + tokenLifetimeMs }
      text.catch(() => (this.#token = null))
    }
    return this.#token.text
  }

  /** Has the next call ask for another token: this one was refused. */
  forgetToken(): void {
    this.#token = null
  }

  /** UTC ms by the service's clock. */
  now(): number {
    return Date.now() + this.clockAheadMs
  }

  async #once(said: string, send: (headers: Readonly<Record<string, string>>) => Promise<unknown>): Promise<unknown> {
    const key = this.#keys.keyFor(said)
    try {
      const payload = await send({ 'idempotency-key': key })
      this.#keys.settle(key)
      return payload
    } catch (error) {
      // With status 0 or 5xx it is not known whether the change was made.
      if (error instanceof RequestFailed && error.status >= 400 && error.status < 500) this.#keys.settle(key)
      throw error
    }
  }

  async #fetch(method: string, address: string, headers: Record<string, string>, body: unknown): Promise<unknown> {
    // The browser names the type of a form, with what parts it.
    const isForm = body instanceof FormData
    const isJson = body !== undefined && !isForm
    const response = await fetch(new URL(address, serviceUrl), {
      method,
      headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }) },
      ...(isForm ? { body } : isJson && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => {
      checkReach()
      throw new RequestFailed(0, '')
    })
    if (response.status === 502 || response.status === 504) checkReach()
    this.#read(response.headers)
    const payload: unknown = await response.json().catch(() => null)
    const next = nextQuery(response.headers.get('link'))
    if (next !== null && typeof payload === 'object' && payload !== null) this.#next.set(payload, next)
    if (response.ok || isUnready(response.status, payload)) return payload
    if (response.status === 401) this.onRefused()
    throw failureOf(response, payload)
  }

  #read(headers: Headers): void {
    const lagMs = headers.get('takt-lag-ms')
    if (lagMs !== null) this.lagMs = Number(lagMs)
    const saidMs = Date.parse(headers.get('date') ?? '')
    const aheadMs = saidMs - Date.now()
    if (Number.isFinite(aheadMs)) this.clockAheadMs = Math.abs(aheadMs) > 2000 ? aheadMs : 0
  }
}

/** Whether a response is that of `GET /health/ready` of a process that is not ready: a valid answer to the call. */
function isUnready(status: number, payload: unknown): boolean {
  return status === 503 && typeof payload === 'object' && payload !== null && 'ready' in payload
}

function isRead(endpoint: Endpoint): boolean {
  return (
    endpoint.startsWith('GET ') ||
    endpoint.startsWith('POST /reports/') ||
    endpoint === 'POST /alert-rules/try' ||
    endpoint === 'POST /machines/states'
  )
}

/** Sends a read, and sends it again where the service is too busy. */
async function withRetries(send: () => Promise<unknown>): Promise<unknown> {
  for (let retries = 0; ; retries++) {
    try {
      return await send()
    } catch (error) {
      const waitMs = error instanceof RequestFailed ? retryWaitMs(error, retries, Math.random()) : null
      if (waitMs === null) throw error
      await new Promise(resolve => setTimeout(resolve, waitMs))
    }
  }
}

function queryOf(values: QueryValues): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const each of [value ?? ''].flat()) if (each !== '') query.append(name, each)
  return query.size === 0 ? '' : `?${query.toString()}`
}

interface GraphqlResponse<T> {
  readonly data?: T | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

interface ErrorBody {
  readonly message?: string
  readonly error_description?: string
  readonly errors?: readonly FieldError[]
}

function failureOf(response: Response, payload: unknown): RequestFailed {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every error of the service has this shape
  const { message, error_description: description, errors = [] } = (payload ?? {}) as ErrorBody
  // A proxy may name a date.
  const retryAfterMs = (Number(response.headers.get('retry-after') ?? 0) || 0) * 1000
  const text = description ?? errors[0]?.message ?? message ?? `HTTP ${response.status}`
  return new RequestFailed(response.status, text, errors, retryAfterMs)
}
