import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { PartSettings } from './findings.ts'
import type { IngestResponse } from '../../schema/requests/ingest.ts'
import type { WireBatch } from '../../schema/topics.ts'

const zip = promisify(gzip)
/** About ten minutes of retries. */
const maxTries = 60
const maxDelayMs = 10_000

export interface ClientOptions {
  readonly url: string
  /** An API key with the scopes `machine` and `ingest.activity`. */
  readonly key: string
  /** Called with the reason when a request is retried. */
  readonly onWait?: (reason: string) => void
}

/** A machine to create. */
export interface NewMachine extends Partial<Pick<PartSettings, 'partCounter'>> {
  readonly name: string
  readonly make: string | null
  readonly model: string | null
}

/**
 * Client of Takt for gateways. Retries while the service is unavailable or requests a delay; other rejections throw.
 */
export class IngestClient {
  readonly #url: string
  readonly #key: string
  readonly #onWait: (reason: string) => void

  constructor({ url, key, onWait = () => undefined }: ClientOptions) {
    this.#url = withoutSlashAtEnd(url)
    this.#key = key
    this.#onWait = onWait
  }

  /** Returns the id of the machine of this name; creates it if the company has none. */
  async findOrCreateMachine(machine: NewMachine): Promise<string> {
    const found = await this.#findMachine(machine.name)
    if (found !== undefined) return found
    const id = randomUUID()
    await this.#call('PUT', `/machines/${id}`, JSON.stringify(machine))
    // Other processes of the service may not have the machine yet.
    while ((await this.#findMachine(machine.name)) === undefined) await sleep(200)
    return id
  }

  /** Settings of a machine that determine which samples count parts. */
  async partSettings(machineId: string): Promise<PartSettings> {
    const settings: PartSettings = JSON.parse(await this.#call('GET', `/machines/${machineId}`))
    return settings
  }

  /** Sends a gateway's batch. */
  async send(batch: WireBatch): Promise<IngestResponse> {
    const body = await zip(JSON.stringify(batch))
    const response: IngestResponse = JSON.parse(
      await this.#call('POST', '/ingest/samples', body, { 'Content-Encoding': 'gzip' }),
    )
    return response
  }

  async #findMachine(name: string): Promise<string | undefined> {
    const machines: readonly { id: string; name: string }[] = JSON.parse(await this.#call('GET', '/machines'))
    return machines.find(machine => machine.name === name)?.id
  }

  async #call(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const request = {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, ...type, ...headers },
      ...(body !== undefined && { body }),
    }
    for (let attempt = 1; ; attempt++) {
      const response = await this.#fetch(path, request, attempt)
      if (response?.ok) return response.text()
      if (response && !mayRetry(response, attempt)) {
        throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      }
      this.#onWait(response ? `${this.#url} responds ${response.status}` : `${this.#url} cannot be reached`)
      await sleep(retryAfterMs(response) ?? Math.min(maxDelayMs, 200 * 2 ** attempt))
    }
  }

  /** undefined: no response. */
  async #fetch(path: string, request: RequestInit, attempt: number): Promise<Response | undefined> {
    try {
      return await fetch(this.#url + path, request)
    } catch (error) {
      if (attempt >= maxTries) throw new Error(`${this.#url} cannot be reached`, { cause: error })
      return undefined
    }
  }
}

function mayRetry({ status }: Response, attempt: number): boolean {
  return attempt < maxTries && (status === 429 || status === 502 || status === 503 || status === 504)
}

/** Seconds or a date; undefined: the server sent no delay. */
function retryAfterMs(response: Response | undefined): number | undefined {
  const header = response?.headers.get('Retry-After')
  if (header === null || header === undefined) return undefined
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

function withoutSlashAtEnd(url: string): string {
  let end = url.length
  while (url.charAt(end - 1) === '/') end -= 1
  return url.slice(0, end)
}
