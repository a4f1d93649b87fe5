import { writeSync } from 'node:fs'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'

/** Writes to the log in the directory given, many appends and transactions at once, and prints each as it is answered, until killed. */
const [, , path = ''] = process.argv
const log = await openEmbeddedLog({ path })
await log.createTopics([
  { name: 'appended', partitions: 1, retentionMs: null },
  { name: 'transacted', partitions: 1, retentionMs: null },
])

const answered = (line: string): void => void writeSync(1, `${line}\n`)

async function append(writer: number): Promise<void> {
  for (let turn = 0; ; turn++) {
    const name = `${writer}/${turn}`
    await log.append('appended', [{ key: null, value: Buffer.from(name) }])
    answered(name)
  }
}

async function transact(): Promise<void> {
  const transactor = await log.transactor('x', { topics: ['transacted'], group: 'g' })
  for (let turn = 1; ; turn++) {
    const records = ['a', 'b'].map(name => ({ topic: 'transacted', key: null, value: Buffer.from(`${name}${turn}`) }))
    await transactor.commit(records, { group: 'g', topic: 'appended', partition: 0, offset: turn })
    answered(`t${turn}`)
  }
}

await Promise.all([transact(), ...[0, 1, 2, 3].map(append)])
