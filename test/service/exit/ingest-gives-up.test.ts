import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { type ChildService, startChild } from '../../support/child-service.ts'
import { runOnStoppedStore } from '../../support/stopped-store.ts'

describe('ingest that gives up', function () {
  let dataDir: string
  let service: ChildService
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-fatal-'))
  })
  afterEach(async () => {
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })
  /** Starts the service on a store whose samples table rejects all inserts. */
  const startOnBrokenTable = async () => {
    service = await startChild({ TAKT_DATA_DIR: dataDir })
    assert.equal((await service.stop()).code, 0)
    const constraint = 'ALTER TABLE samples ADD CONSTRAINT nothing_fits CHECK throwIf(company > 0) = 0'
    await runOnStoppedStore(join(dataDir, 'store'), 'command', constraint)
    service = await startChild({ TAKT_DATA_DIR: dataDir })
  }

  it('If the store rejects all samples, the process exits instead of serving without ingest', async () => {
    await startOnBrokenTable()
    const machineId = randomUUID()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Lathe' })
    const samples = Array.from({ length: 500 }, (_, i) => {
      const timestamp = new Date(Date.now() - 3_600_000 + i * 1000).toISOString()
      return { machineId, timestamp, key: 'part_count', type: 'PART_COUNT', value: String(i) }
    })
    assert.equal((await service.call('POST', '/ingest/samples', samples)).status, 202)
    const { code, signal } = await service.exited
    assert.deepEqual({ code, signal }, { code: 1, signal: null })
    assert.include(service.said(), 'Stopped ingest to avoid data loss')
    assert.include(service.said(), 'TooManyRefused')
  })
})
