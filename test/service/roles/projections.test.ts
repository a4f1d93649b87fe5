import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAudit } from '../../../clickhouse/projections/audit.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { render, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../log/log.ts'
import { topics } from '../../../schema/topics.ts'
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

  /** Starts a service on this log and store; returns its audit trail. */
  const trail = async (change: boolean, into = store): Promise<readonly string[]> => {
    const service = await startService({ log, store: into })
    try {
      if (change) expect((await service.call('PUT', '/settings', { startOfDay: '06:00' })).status).to.equal(200)
      // Reads wait until the registrar has taken over.
      const { items } = await readAudit(service.store, service.companyId, {})
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

  it('A store without the position gets all entries of the log, once', async () => {
    expect(await trail(true)).to.deep.equal(whole)
    for (const table of ['audit', 'records']) await store.command({ parts: [`TRUNCATE TABLE ${table}`] })
    expect(await trail(false)).to.deep.equal(whole)
    expect(await trail(false), 'no entry is projected twice').to.deep.equal(whole)
  })

  it('An entry after the position is projected again, also if rows of later entries are stored', async () => {
    expect(await trail(true)).to.deep.equal(whole)
    const [changed] = await store.query<{ offset: number }>(
      sql`SELECT toUInt32(command_offset) AS offset FROM audit WHERE command = 'settings.put'`,
    )
    const isChange = sql`command_offset = ${uint32(changed?.offset ?? 0)}`
    const isLater = sql`command_offset >= ${uint32(changed?.offset ?? 0)}`
    await store.command(sql`DELETE FROM audit WHERE ${isChange}`)
    await store.command(sql`DELETE FROM records WHERE ${isChange} OR (kind = 'projected' AND ${isLater})`)
    expect(await trail(false)).to.deep.equal(whole)
    const [company] = await store.query<{ json: string }>(
      sql`SELECT json FROM records FINAL WHERE kind = 'company' AND company != ''`,
    )
    expect(company?.json).to.include('"startOfDay":"06:00"')
  })

  it('Changes that the previous service acknowledged but did not project are projected after a restart', async () => {
    expect(await trail(false)).to.deep.equal(whole.slice(1))
    let isLost = false
    const insert: Store['insert'] = async (table, ...rest) => {
      if (!isLost || !['records', 'audit'].includes(table)) await store.insert(table, ...rest)
    }
    const service = await startService({ log, store: { ...store, insert } })
    try {
      await service.settled()
      isLost = true
      expect((await service.call('PUT', '/settings', { startOfDay: '06:00' })).status).to.equal(200)
    } finally {
      await service.stop()
    }
    // The registrar of the next service takes over late, and the first read waits for it.
    const slow: Store = {
      ...store,
      async queryColumns(query, ...rest) {
        if (render(query).query.includes('AS position')) await sleep(1_000)
        return store.queryColumns(query, ...rest)
      },
    }
    expect(await trail(false, slow)).to.deep.equal(whole)
  })
})
