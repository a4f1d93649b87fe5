import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const prefixBytes = 12
const magicAt = 16

/**
 * Replaces batches in the file of a partition while the broker runs, which sends a file's bytes as they are: readers get batches that the
 * broker would reject. `batches`: by first offset, each as long as the batch that it replaces. The partition must have one segment.
 */
export function overwriteBatches(dataDir: string, topic: string, batches: ReadonlyMap<number, Buffer>): void {
  const file = openSync(join(dataDir, `${topic}-0`, '00000000000000000000.log'), 'r+')
  try {
    const head = Buffer.alloc(prefixBytes)
    let left = batches.size
    for (let at = 0; readSync(file, head, 0, head.length, at) === head.length;) {
      const length = prefixBytes + head.readInt32BE(8)
      const batch = batches.get(Number(head.readBigInt64BE(0)))
      if (batch) {
        if (batch.length !== length) throw new Error(`The batch has ${batch.length} bytes in place of ${length}`)
        // The offset, the length and the epoch of the leader stay.
        writeSync(file, batch, magicAt, length - magicAt, at + magicAt)
        left--
      }
      at += length
    }
    if (left > 0) throw new Error(`${left} batches are not in the file of ${topic}`)
  } finally {
    closeSync(file)
  }
}
