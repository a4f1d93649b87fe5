import { createHash } from 'node:crypto'
import { problem } from '../compile/problem.ts'
import { chunkBytes } from '../../json/json-writer.ts'
import { writeJson } from '../../json/write-json.ts'
import type { OperationResult } from './operations.ts'

/** The serialized result of an operation, shared by all its receivers. */
export interface SerializedResult {
  readonly json: Buffer
  /** Equal for equal bytes. */
  readonly digest: string
}

/** Writes a result as JSON and yields to the event loop; rejects with a `GraphQLError` if it is too large. */
export async function serializeResult(value: OperationResult, maxBytes: number): Promise<SerializedResult> {
  const chunks: Buffer[] = []
  let bytes = 0
  const add = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw problem('row-limit-exceeded', `The result has more than ${maxBytes} bytes: request less, or set a limit`)
    chunks.push(chunk)
  }
  await writeJson(value, add, { chunkLength: Math.min(chunkBytes, maxBytes) })
  const json = Buffer.concat(chunks)
  return { json, digest: createHash('sha256').update(json).digest('base64') }
}
