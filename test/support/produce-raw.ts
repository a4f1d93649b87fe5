import { connect } from 'node:net'
import { once } from 'node:events'

const produceApi = 0
// The first version with zstd.
const produceVersion = 7

/**
 * Sends batches to a partition as bytes, one per request. Resolves to the first offset of each; rejects with the broker's error code.
 */
export async function produceRaw(
  broker: string,
  { topic, partition = 0 }: { readonly topic: string; readonly partition?: number },
  batches: readonly Buffer[],
): Promise<readonly number[]> {
  const [host, port] = broker.split(':')
  const socket = connect(Number(port), host)
  await once(socket, 'connect')
  const firstOffsets: number[] = []
  try {
    for (const batch of batches) {
      socket.write(request(topic, partition, batch))
      const response = await read(socket)
      // Length, correlation, topics, name, partitions, partition, error.
      const errorAt = 4 + 4 + 4 + 2 + Buffer.byteLength(topic) + 4 + 4
      const error = response.readInt16BE(errorAt)
      if (error !== 0) throw new Error(`The broker rejected the batch: error ${error}`)
      firstOffsets.push(Number(response.readBigInt64BE(errorAt + 2)))
    }
    return firstOffsets
  } finally {
    socket.destroy()
  }
}

function request(topic: string, partition: number, batch: Buffer): Buffer {
  const body = Buffer.concat([
    int16(produceApi),
    int16(produceVersion),
    int32(1),
    text('raw'),
    // Not transactional, all replicas, 30 s.
    int16(-1),
    int16(-1),
    int32(30_000),
    int32(1),
    text(topic),
    int32(1),
    int32(partition),
    int32(batch.length),
    batch,
  ])
  return Buffer.concat([int32(body.length), body])
}

async function read(socket: ReturnType<typeof connect>): Promise<Buffer> {
  let received = Buffer.alloc(0)
  while (received.length < 4 || received.length < 4 + received.readInt32BE(0)) {
    const [more]: unknown[] = await once(socket, 'data')
    if (Buffer.isBuffer(more)) received = Buffer.concat([received, more])
  }
  return received
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)])
}
