import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { LogUnavailable } from '../../../log/log.ts'

/**
 * Writes concurrent appends and transactions to the log in the given directory and prints each that is acknowledged, until killed.
 * Each value is its name, followed by incompressible bytes. Prints `full` when the log rejects a write.
 */
const [, , path = '', noise = '0'] = process.argv
const log = await openEmbeddedLog({ path })
await log.createTopics([
  { name: 'appended', partitions: 1, retentionMs: null },
  { name: 'transacted', partitions: 1, retentionMs: null },
])

/** Prints synchronously, so that a slow reader loses no line. */
const acknowledge = (line: string): void => void process.stdout.write(`${line}\n`)

async function append(writer: number): Promise<void> {
  for (let turn = 0; ; turn++) {
    const name = `${writer}/${turn}`
    const value = Buffer.concat([Buffer.from(`${name} `), randomBytes(Number(noise))])
    await retryUntilAccepted(() => log.append('appended', [{ key: null, value }]))
    acknowledge(name)
  }
}

async function transact(): Promise<void> {
  const transactor = await log.transactor('x', { topics: ['transacted'], group: 'g' })
  for (let turn = 1; ; turn++) {
    const records = ['a', 'b'].map(name => ({ topic: 'transacted', key: null, value: Buffer.from(`${name}${turn}`) }))
    const input = { group: 'g', topic: 'appended', partition: 0, offset: turn }
    await retryUntilAccepted(() => transactor.commit(records, input))
    acknowledge(`t${turn}`)
  }
}

/** Retries until the log accepts the write. */
async function retryUntilAccepted(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      acknowledge('full')
      await sleep(1)
    }
  }
}

await Promise.all([transact(), ...[0, 1, 2, 3].map(append)])
