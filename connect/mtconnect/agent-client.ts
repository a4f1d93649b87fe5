import {
  request as requestHttp,
  Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import { request as requestHttps, Agent as SecureAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { secureContextOf } from '../source/secure-context.ts'
import { describeFailure } from '../source/describe-failure.ts'
import { SourceError, type SourceSecrets } from '../source/source.ts'
import { type AgentDocument, readDocumentInSteps } from './document.ts'
import { DocumentError } from './document-error.ts'
import { maxPartBytes } from './multipart.ts'

/** Content types of an agent. */
const accepted = 'text/xml, application/xml, multipart/*'
/** Limit of the time in which a document must arrive. */
export const maxDocumentMs = 120_000

export interface AgentClientOptions {
  readonly address: string
  readonly options: Pick<ConnectorRecord['options'], 'user' | 'sourceHeartbeatMs'>
  readonly secrets: SourceSecrets
  readonly lookup: LookupFunction
  readonly signal: AbortSignal
}

/** Response of an agent. */
export interface AgentResponse {
  readonly status: number
  readonly contentType: string
  /** Decompressed. Rejects with a `SourceError` if no byte arrives within the limit. */
  readonly chunks: AsyncIterable<Buffer>
}

/**
 * HTTP client of one MTConnect agent. Does not follow redirects. Rejects with a `SourceError` if the agent cannot be
 * reached, denies access, or is silent.
 */
export class AgentClient {
  readonly #base: string
  readonly #options: AgentClientOptions
  readonly #request: typeof requestHttp
  readonly #requestOptions: RequestOptions
  readonly #agent: Agent
  readonly #silenceMs: number

  constructor(options: AgentClientOptions) {
    const { address, secrets, lookup, signal } = options
    const { user, sourceHeartbeatMs } = options.options
    const isSecure = address.startsWith('https:')
    const { password = '' } = secrets
    this.#options = options
    this.#base = baseOf(address)
    this.#request = isSecure ? requestHttps : requestHttp
    this.#agent = isSecure
      ? new SecureAgent({ keepAlive: true, secureContext: secureContextOf(secrets) })
      : new Agent({ keepAlive: true })
    this.#silenceMs = 2 * sourceHeartbeatMs + 1_000
    this.#requestOptions = {
      agent: this.#agent,
      lookup,
      signal,
      ...(user !== null && { auth: `${user}:${password}` }),
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy()
  }

  /** Requests a path, such as `/probe`, without compression: each stream would need 70 KB to decompress its small documents. */
  get(path: string): Promise<AgentResponse> {
    return this.#get(path, { Accept: accepted })
  }

  async #get(path: string, headers: OutgoingHttpHeaders): Promise<AgentResponse> {
    const response = await this.#send(path, headers)
    const status = response.statusCode ?? 0
    try {
      return { status, contentType: response.headers['content-type'] ?? '', chunks: this.#chunksOf(response, status) }
    } catch (error) {
      response.destroy()
      throw error
    }
  }

  /** Requests one document. Throws a `DocumentError` if it cannot be read. */
  async document(path: string): Promise<AgentDocument> {
    return readResponse(await this.#get(path, { Accept: accepted, 'Accept-Encoding': 'gzip' }))
  }

  #send(path: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#request(this.#base + path, { ...this.#requestOptions, headers }, response => {
        clearTimeout(timer)
        resolve(response)
      })
      const timer = setTimeout(() => request.destroy(silent(this.#silenceMs)), this.#silenceMs)
      request.on('error', error => {
        clearTimeout(timer)
        reject(error)
      })
      request.end()
    }).catch((error: unknown) => this.#fail(error))
  }

  #chunksOf(response: IncomingMessage, status: number): AsyncIterable<Buffer> {
    if (status === 401 || status === 403) throw new SourceError(`The agent denies access: HTTP ${status}`, 'rejected')
    if (status >= 300 && status < 400)
      throw new SourceError(`The agent redirects to another address, which is not followed: HTTP ${status}`)
    return this.#untilSilent(decoded(response))
  }

  async *#untilSilent(body: Readable): AsyncGenerator<Buffer> {
    let isWaiting = true
    const timer = setTimeout(() => isWaiting && body.destroy(silent(this.#silenceMs)), this.#silenceMs)
    try {
      for await (const chunk of body) {
        isWaiting = false
        yield chunk
        isWaiting = true
        timer.refresh()
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      clearTimeout(timer)
      body.destroy()
    }
  }

  #fail(error: unknown): never {
    if (error instanceof SourceError || this.#options.signal.aborted) throw error
    throw new SourceError(`The agent ${this.#base} cannot be read: ${describeFailure(error)}`, 'disconnected', {
      cause: error,
    })
  }
}

function baseOf(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname)
}

/** Reads the document of a response. Throws a `DocumentError` if it is too long or cannot be read. */
export async function readResponse(response: AgentResponse): Promise<AgentDocument> {
  return parseResponse(response, await readBytes(response))
}

/** Reads the bytes of a response. Throws a `DocumentError` if they are too many. */
export async function readBytes({ chunks }: AgentResponse): Promise<Buffer> {
  const startedMs = performance.now()
  const read: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > maxPartBytes) throw new DocumentError(`The document is longer than ${maxPartBytes} bytes`)
    if (performance.now() - startedMs > maxDocumentMs) throw slowDocument()
    read.push(chunk)
  }
  return Buffer.concat(read)
}

/** Returns the document of the bytes of a response. Throws a `DocumentError` if they cannot be read. */
export async function parseResponse({ status }: Pick<AgentResponse, 'status'>, bytes: Buffer): Promise<AgentDocument> {
  try {
    return await runCooperatively(readDocumentInSteps(bytes))
  } catch (error) {
    if (!(error instanceof DocumentError) || status === 200) throw error
    throw new DocumentError(`HTTP ${status}: ${error.message}`, { cause: error })
  }
}

/** The error of a document that takes too long. */
export function slowDocument(): SourceError {
  return new SourceError(`A document of the agent took longer than ${maxDocumentMs / 1000} s`)
}

function silent(ms: number): SourceError {
  return new SourceError(`The agent sent no byte for ${ms / 1000} s`)
}

function decoded(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return response
  if (encoding === 'gzip') return pipeline(response, createGunzip(), () => undefined)
  throw new SourceError(`The agent compresses with ${encoding}, which was not requested`)
}
