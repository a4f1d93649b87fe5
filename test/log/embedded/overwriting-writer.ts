import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { OffsetOutOfRange } from '../../../log/log.ts'

/**
 * Overwrites 20 keys of a compacted topic in the given directory concurrently, with increasing numbers, and prints each
 * acknowledged one, until killed. Prints `compacted` when the first records are deleted.
 */
const [, , path = ''] = process.argv
const log = await openEmbeddedLog({ path, retentionEveryMs: 1 })
const topic = 'compacted'
await log.createTopics([{ name: topic, partitions: 1, retentionMs: null, isCompacted: true }])

async function overwrite(key: string): Promise<void> {
  for (let number = 0; ; number++) {
    const value = Buffer.concat([Buffer.from(`${number} `), randomBytes(50_000)])
    await log.append(topic, [{ key, value }])
    // Printed synchronously, so that a slow reader loses no line.
    process.stdout.write(`${key} ${number}\n`)
  }
}

async function awaitCompaction(): Promise<void> {
  for (;;) {
    const following = log.follow({ topic, from: [0], onBatch: () => undefined })
    const follower = await following.catch((error: unknown) => error)
    if (follower instanceof OffsetOutOfRange) return
    await (await following).stop()
    await sleep(10)
  }
}

const overwritten = Promise.all(Array.from({ length: 20 }, (_, index) => overwrite(`key${index}`)))
await awaitCompaction()
process.stdout.write('compacted\n')
await overwritten
