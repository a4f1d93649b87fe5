import { createHash } from 'node:crypto'
import { problem } from '../compile/problem.ts'
import { usualChunkChars, writeJson } from '../run/write-json.ts'
import type { Answer } from './operations.ts'
import { Shares } from '../../../shared/shares.ts'

/** The serialized result of an operation, shared by all its receivers. */
export interface SerializedResult {
  readonly json: Buffer
  /** Equal for equal bytes. */
  readonly digest: string
}

/** Writes a result as JSON and yields to the event loop; rejects with a `GraphQLError` if it is too large. */
export async function serializeResult(value: Answer, maxBytes: number): Promise<SerializedResult> {
  const chunks: Buffer[] = []
  let bytes = 0
  const add = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw problem('row-limit-exceeded', `The result has more than ${maxBytes} bytes: request less, or set a limit`)
    chunks.push(chunk)
  }
  await writeJson(value, add, { chunkChars: Math.min(usualChunkChars, maxBytes) })
  const json = Buffer.concat(chunks)
  return { json, digest: createHash('sha256').update(json).digest('base64') }
}

/** Caches the latest result of each subscription for later subscribers, within a fair share of memory per company. */
export class ResultCache {
  readonly #shares: Shares
  readonly #kept = new Map<object, { readonly companyId: string; readonly result: SerializedResult }>()

  /** `isShared`: whether there are several companies. */
  constructor(bytes: number, isShared: () => boolean) {
    this.#shares = new Shares({ room: bytes, isShared })
  }

  get(query: object): SerializedResult | null {
    return this.#kept.get(query)?.result ?? null
  }

  /** Replaces the previous result. Without memory for it, none is cached. */
  set(query: object, companyId: string, result: SerializedResult): void {
    this.delete(query)
    if (this.#shares.take(companyId, result.json.length)) this.#kept.set(query, { companyId, result })
  }

  delete(query: object): void {
    const kept = this.#kept.get(query)
    if (!kept) return
    this.#kept.delete(query)
    this.#shares.give(kept.companyId, kept.result.json.length)
  }
}
