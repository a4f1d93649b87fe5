import { expect } from 'chai'
import { readCredentials } from '../../../clickhouse/projections/credentials.ts'
import { migrate, MigrationError, readMigrations, splitStatements } from '../../../clickhouse/migrations/migrate.ts'
import { createRecordsProjection } from '../../../clickhouse/projections/records.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { emptyDatabase, freshDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { Records } from '../../../processors/records/records.ts'
import type { KeyRecord } from '../../../schema/records.ts'
import { Plant } from '../../processors/registrar/plant.ts'

describe('migrate', () => {
  let database: TestDatabase
  let store: Store
  beforeEach(async () => {
    database = await emptyDatabase()
    store = database.store
  })
  afterEach(() => database.drop())

  it('runs what is missing, in order, once', async () => {
    const all = await readMigrations()
    expect(all.map(({ number }) => number)).to.deep.equal(all.map((_, i) => i + 1))
    expect(await migrate(store, all.slice(0, 2))).to.deep.equal(all.slice(0, 2).map(({ name }) => name))
    expect(await migrate(store)).to.deep.equal(all.slice(2).map(({ name }) => name))
    expect(await migrate(store)).to.deep.equal([])
  })

  it('refuses a migration that was changed after it was done', async () => {
    await migrate(store, [aMigration('CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Null')])
    const error: unknown = await migrate(store, [aMigration('CREATE TABLE a (x UInt16) ENGINE = Null')]).catch(
      (error: unknown) => error,
    )
    expect(error).to.be.instanceOf(MigrationError)
    expect(error).to.include({ code: 'migration_changed' })
  })

  it('runs again what was started and not done', async () => {
    const table = 'CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Memory'
    const broken = await migrate(store, [aMigration(`${table}; SELEC 1`)]).catch(() => 'failed')
    expect(broken).to.equal('failed')
    expect(await migrate(store, [aMigration(`${table}; INSERT INTO a VALUES (1)`)])).to.deep.equal(['001-a.sql'])
    expect(await store.columns(sql`SELECT x FROM a`)).to.deep.equal([[1]])
  })

  it('opens every migration with why, and repeats without harm', async () => {
    for (const { text } of await readMigrations()) {
      expect(text).to.match(/^-- \S/)
      for (const statement of splitStatements(text)) {
        // A table of versions takes rows again.
        expect(statement).to.match(
          /\bIF (NOT )?EXISTS\b|\bMODIFY (SETTING|COLUMN)\b|\bINSERT INTO (credentials|latest_values)\s+SELECT\b/,
        )
        await store.command({ parts: [statement] })
        await store.command({ parts: [statement] })
      }
    }
  })
})

describe('migration 014', () => {
  it('finds the keys that were there before it, however often it is run', async () => {
    const database = await freshDatabase()
    const { store } = database
    try {
      const plant = new Plant()
      const hash = 'ab'.repeat(32)
      const key = plant.result<KeyRecord>('key.create', { name: 'Old', scopes: [], hash })
      plant.result('key.patch', { id: key.id, name: 'Older' })
      await createRecordsProjection(store).project(plant.entries, new Records())
      await store.command(sql`TRUNCATE TABLE credentials`)
      const migration = (await readMigrations()).find(({ number }) => number === 14)
      for (const _ of ['once', 'twice'])
        for (const statement of splitStatements(migration?.text ?? '')) await store.command({ parts: [statement] })
      const found = await readCredentials(store, [hash, key.id])
      const older = { ...key, name: 'Older' }
      expect(found).to.deep.equal(new Map([hash, key.id].map(lookup => [lookup, older])))
    } finally {
      await database.drop()
    }
  })
})

describe('splitting statements', () => {
  it('ends them at semicolons outside of strings, names and comments', () => {
    expect(splitStatements("-- a; b\nSELECT 'x;''\\';', `a;b` /* ; */, 1 - 2 / 3; ;\n-- rest\n")).to.deep.equal([
      "-- a; b\nSELECT 'x;''\\';', `a;b` /* ; */, 1 - 2 / 3",
    ])
    expect(splitStatements('A; B;C')).to.deep.equal(['A', 'B', 'C'])
    expect(splitStatements(" -- it's;\nA")).to.deep.equal(["-- it's;\nA"])
    expect(splitStatements('')).to.deep.equal([])
  })
})

function aMigration(text: string) {
  return { number: 1, name: '001-a.sql', text }
}
