import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAuditProjection, readAudit } from '../../../clickhouse/projections/audit.ts'
import { createRecordsProjection } from '../../../clickhouse/projections/records.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../log/log.ts'
import { topics } from '../../../schema/topics.ts'
import { combine } from '../../../service/roles/projections.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { startService } from '../../support/service.ts'

describe('projections of records', function () {
  let database: TestDatabase
  let store: Store
  let log: Log
  let path: string

  beforeEach(async () => {
    database = await freshDatabase()
    store = database.store
    path = mkdtempSync(join(tmpdir(), 'takt-projections-'))
    log = await openEmbeddedLog({ path })
    const names = Object.values(topics)
    await log.createTopics(names.map(name => ({ name, partitions: 1, retentionMs: null })))
  })
  afterEach(async () => {
    await log.close()
    await database.drop()
    rmSync(path, { recursive: true })
  })

  /** Starts a service on this log and store, and reads its trail. */
  const trail = async (change: boolean): Promise<readonly string[]> => {
    const service = await startService({ log, store })
    try {
      if (change) expect((await service.call('PUT', '/settings', { startOfDay: '06:00' })).status).to.equal(200)
      // Nobody waits for the registrar to take over.
      while ((await createAuditProjection(store).projectedTo()) < 0) await sleep(10)
      const { items } = await readAudit(store, service.companyId, {})
      return items.map(({ command, kind, action, actor }) => `${command} ${kind} ${action} by ${actor.name}`)
    } finally {
      await service.stop()
    }
  }
  const whole = [
    'settings.put company changed by Admin',
    'installation.start key created by service',
    'installation.start company created by service',
  ]

  it('that are new in an installation get all that its log holds', async () => {
    expect(await trail(true)).to.deep.equal(whole)
    await store.command({ parts: ['TRUNCATE TABLE audit'] })
    expect(await trail(false)).to.deep.equal(whole)
    expect(await trail(false), 'and nothing twice').to.deep.equal(whole)
  })

  it('are as far as the one that lacks most', async () => {
    await trail(true)
    const both = [createAuditProjection(store), createRecordsProjection(store)]
    expect(await combine(both).projectedTo()).to.be.above(0)
    await store.command({ parts: ['TRUNCATE TABLE audit'] })
    expect(await combine(both).projectedTo()).to.equal(-1)
  })
})
