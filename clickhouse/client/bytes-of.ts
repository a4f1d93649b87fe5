import type { Readable } from 'node:stream'

/** All of a stream's bytes. `buffer` of node:stream/consumers takes a Blob's way, with copies more. */
export async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const [first] = chunks
  return chunks.length === 1 && first ? first : Buffer.concat(chunks)
}
