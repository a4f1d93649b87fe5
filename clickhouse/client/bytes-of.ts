import type { Readable } from 'node:stream'

/** Reads all bytes of a stream. `buffer` of node:stream/consumers uses a Blob, with additional copies. */
export async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const [first] = chunks
  return chunks.length === 1 && first ? first : Buffer.concat(chunks)
}
