import { expect } from 'chai'
import { renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { reportDamagedParts, reportFailedWrites } from '../../../service/monitoring/damaged-parts.ts'
import { Problems } from '../../../shared/problems.ts'
import { emptyDatabase, type TestDatabase } from '../../support/database.ts'

describe('reportDamagedParts', () => {
  let database: TestDatabase
  beforeEach(async () => (database = await emptyDatabase()))
  afterEach(() => database.drop())

  /** Moves the parts of a table to `detached`, as a user does. */
  async function detach(table: Sql, parts: number): Promise<void> {
    const { store } = database
    await store.command(
      sql`CREATE TABLE ${table} (id UInt32) ENGINE = MergeTree ORDER BY id SETTINGS old_parts_lifetime = 120`,
    )
    await store.command(sql`SYSTEM STOP MERGES ${table}`)
    for (let part = 0; part < parts; part++) await store.command(sql`INSERT INTO ${table} VALUES (1)`)
    await store.command(sql`ALTER TABLE ${table} DETACH PARTITION tuple()`)
  }

  /** Names the detached parts as a start does. */
  async function markBroken(table: string): Promise<void> {
    const parts = await database.store.query<{ readonly table: string; readonly path: string }>(
      sql`SELECT table, path FROM system.detached_parts WHERE database = currentDatabase()`,
    )
    for (const { path } of parts.filter(part => part.table === table))
      renameSync(path, join(dirname(path), `broken-on-start_${basename(path)}`))
  }

  it('Damaged parts of a start are a problem that names their tables, and those that a user has detached do not count', async () => {
    const problems = new Problems()
    const messages = async () => {
      await reportDamagedParts(database.store, problems)
      return problems.open().map(({ code, message }) => `${code}: ${message}`.slice(0, 76))
    }
    await detach(sql`hours`, 2)
    await detach(sql`samples`, 1)
    await detach(sql`records`, 1)
    expect(await messages()).to.deep.equal([])
    await markBroken('hours')
    await markBroken('samples')
    expect(await messages()).to.deep.equal([
      'damaged_parts: The embedded store has damaged parts: hours (2), samples (1).',
    ])
  })

  it('Failed writes are one problem, also if further ones fail', () => {
    const problems = new Problems()
    reportFailedWrites(problems)
    reportFailedWrites(problems)
    expect(problems.open().map(({ code }) => code)).to.deep.equal(['failed_writes'])
  })
})
