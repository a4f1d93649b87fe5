import { expect } from 'chai'
import {
  migrate,
  MigrationError,
  readMigrations,
  rejectOldFormat,
  splitStatements,
} from '../../../clickhouse/migrations/migrate.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { emptyDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

/** Matches statements that may be repeated: they do nothing if their object exists. */
const repeatable = /\bIF (?:NOT )?EXISTS\b/

describe('migrate', () => {
  let database: TestDatabase
  let store: Store
  beforeEach(async () => {
    database = await emptyDatabase()
    store = database.store
  })
  afterEach(() => database.drop())

  it('Missing migrations run once, in their order', async () => {
    const all = await readMigrations()
    expect(all.map(({ number }) => number)).to.deep.equal(all.map((_, i) => i + 1))
    expect(await migrate(store, all.slice(0, 2))).to.deep.equal(all.slice(0, 2).map(({ name }) => name))
    expect(await migrate(store)).to.deep.equal(all.slice(2).map(({ name }) => name))
    expect(await migrate(store)).to.deep.equal([])
  })

  it('A migration that was changed after it ran is rejected', async () => {
    await migrate(store, [aMigration('CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Null')])
    const error: unknown = await migrate(store, [aMigration('CREATE TABLE a (x UInt16) ENGINE = Null')]).catch(
      (error: unknown) => error,
    )
    expect(error).to.be.instanceOf(MigrationError)
    expect(error).to.include({ code: 'migration_changed' })
  })

  it('A migration that started and did not finish runs again', async () => {
    const table = 'CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Memory'
    const broken = await migrate(store, [aMigration(`${table}; SELEC 1`)]).catch(() => 'failed')
    expect(broken).to.equal('failed')
    expect(await migrate(store, [aMigration(`${table}; INSERT INTO a VALUES (1)`)])).to.deep.equal(['001-a.sql'])
    expect(await store.columns(sql`SELECT x FROM a`)).to.deep.equal([[1]])
  })

  it('In a new database, all migrations run again after a failure; later, only new ones run', async () => {
    const [a, b] = ['a', 'b'].map(name => `CREATE TABLE IF NOT EXISTS ${name} (x UInt8) ENGINE = Memory`)
    const [first, broken] = [aMigration(`${a}; INSERT INTO a VALUES (1)`), aMigration(`${b}; SELEC 1`, 2)]
    expect(await migrate(store, [first, broken]).catch(() => 'failed')).to.equal('failed')
    const mended = aMigration(`${b}; INSERT INTO b VALUES (1)`, 2)
    expect(await migrate(store, [first, mended])).to.deep.equal(['001-a.sql', '002-a.sql'])
    const [third, fourth] = [aMigration(`INSERT INTO b VALUES (3)`, 3), aMigration('SELEC 1', 4)]
    expect(await migrate(store, [first, mended, third, fourth]).catch(() => 'failed')).to.equal('failed')
    expect(await migrate(store, [first, mended, third])).to.deep.equal([])
    expect(await store.columns(sql`SELECT x FROM b ORDER BY x`)).to.deep.equal([[1, 3]])
  })

  it('The error of a failed migration contains the failed statement', async () => {
    const good = 'CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Memory'
    const error: unknown = await migrate(store, [aMigration(`${good}; DROP TABLE b; ${good}`)]).catch(
      (error: unknown) => error,
    )
    expect(error).to.include({ query: 'DROP TABLE b' })
  })

  it('Every migration begins with a comment, and each of its statements can be repeated', async () => {
    for (const { text } of await readMigrations()) {
      expect(text).to.match(/^-- \S/)
      for (const statement of splitStatements(text)) {
        expect(statement).to.match(repeatable)
        await store.command({ parts: [statement] })
        await store.command({ parts: [statement] })
      }
    }
  })

  it('A store whose first migration had another name is rejected as old', async () => {
    await migrate(store, [aMigration('CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Null')])
    for (const check of [migrate, rejectOldFormat]) {
      const error: unknown = await check(store).catch((error: unknown) => error)
      expect(error).to.include({ code: 'store_format_old' })
    }
  })

  it('A store of a version before 0.2.0 is rejected with the steps to take', async () => {
    await store.command({ parts: ['CREATE TABLE schema_migrations (number UInt32) ENGINE = Memory'] })
    const error: unknown = await migrate(store).catch((error: unknown) => error)
    expect(error).to.be.instanceOf(MigrationError)
    expect(error).to.include({ code: 'store_format_old' })
    expect(String(error)).to.include(store.database).and.include('TAKT_DATA_DIR')
    const tables = await store.query<{ name: string }>(
      sql`SELECT name FROM system.tables WHERE database = currentDatabase()`,
    )
    expect(tables).to.deep.equal([{ name: 'schema_migrations' }])
  })

  it('A store that a later version migrated is rejected', async () => {
    await migrate(store, [aMigration('CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Null')])
    const error: unknown = await migrate(store, []).catch((error: unknown) => error)
    expect(error).to.include({ code: 'store_format_new' })
  })
})

describe('splitStatements', () => {
  it('splitStatements splits at semicolons outside of strings, quoted names and comments', () => {
    expect(splitStatements("-- a; b\nSELECT 'x;''\\';', `a;b` /* ; */, 1 - 2 / 3; ;\n-- rest\n")).to.deep.equal([
      "-- a; b\nSELECT 'x;''\\';', `a;b` /* ; */, 1 - 2 / 3",
    ])
    expect(splitStatements('A; B;C')).to.deep.equal(['A', 'B', 'C'])
    expect(splitStatements(" -- it's;\nA")).to.deep.equal(["-- it's;\nA"])
    expect(splitStatements('')).to.deep.equal([])
  })
})

function aMigration(text: string, number = 1) {
  return { number, name: `00${number}-a.sql`, text }
}
