import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import type { Log } from '../../log/log.ts'
import { describeLog } from './contract.ts'

describe('embedded log', () => {
  const path = mkdtempSync(join(tmpdir(), 'takt-log-'))
  let log: Log
  const open = () => openEmbeddedLog({ path, retentionEveryMs: 200 })
  before(async () => {
    log = await open()
  })
  after(async () => {
    await log.close()
    rmSync(path, { recursive: true, force: true })
  })

  describeLog(() => ({
    log,
    reopen: async () => {
      await log.close()
      return (log = await open())
    },
    deleteRecords: topic => log.createTopics([{ name: topic, partitions: 1, retentionMs: 0 }]),
  }))
})
