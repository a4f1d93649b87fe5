import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { summarizeDeadLetters } from '../../../ingest/consume/dead-letters-by-reason.ts'
import type { Log } from '../../../log/log.ts'
import { topics, type DeadLetter, type DeadLetterReason } from '../../../schema/topics.ts'

describe('summarizeDeadLetters', () => {
  let folder: string
  let log: Log
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-dead-letters-'))
    log = await openEmbeddedLog({ path: folder, clock: Date.now })
    await log.createTopics([{ name: topics.deadLetters, partitions: 1, retentionMs: null }])
  })
  afterEach(async () => {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function append(reason: DeadLetterReason, appendedAtMs: number, value = '{}'): Promise<void> {
    const at = { topic: topics.samples, partition: 0, offset: 0, appendedAtMs }
    const deadLetter: DeadLetter = { reason, message: `at ${appendedAtMs}`, value, ...at }
    await log.append(topics.deadLetters, [{ key: null, value: Buffer.from(JSON.stringify(deadLetter)) }])
  }

  it('Without dead letters the summary is empty', async () => {
    expect(await summarizeDeadLetters(log)).to.deep.equal([])
  })

  it('The summary of dead letters counts samples, of which a dead letter may contain many', async () => {
    await append('invalid_sample', 1, '[{"key":"a"},{"key":"b"}]')
    await append('unknown_machine', 2, '{"machineId":"m","samples":[{"key":"a"},{"key":"b"},{"key":"c"}]}')
    await append('invalid_json', 3, '{"machineId":"m","samples":[{"key":"a"},')
    await append('unknown_machine', 4, '{"key":"a"}')
    const summaries = await summarizeDeadLetters(log)
    expect(summaries.map(({ reason, count }) => [reason, count])).to.deep.equal([
      ['unknown_machine', 4],
      ['invalid_sample', 2],
      ['invalid_json', 1],
    ])
  })

  it('Dead letters are counted by reason in descending order, with the first and last time', async () => {
    await append('invalid_json', 5)
    await append('unknown_machine', 2)
    await append('unknown_machine', 9)
    expect(await summarizeDeadLetters(log)).to.deep.equal([
      { reason: 'unknown_machine', count: 2, firstMs: 2, lastMs: 9, message: 'at 9' },
      { reason: 'invalid_json', count: 1, firstMs: 5, lastMs: 5, message: 'at 5' },
    ])
  })
})
