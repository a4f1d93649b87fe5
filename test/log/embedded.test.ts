import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import type { Log } from '../../log/log.ts'
import { describeLog } from './contract.ts'

describe('embedded log', () => {
  const path = mkdtempSync(join(tmpdir(), 'takt-log-'))
  let log: Log
  before(async () => {
    log = await openEmbeddedLog({ path })
  })
  after(async () => {
    await log.close()
    rmSync(path, { recursive: true, force: true })
  })

  describeLog(() => ({
    log,
    reopen: async () => {
      await log.close()
      return (log = await openEmbeddedLog({ path }))
    },
  }))
})
