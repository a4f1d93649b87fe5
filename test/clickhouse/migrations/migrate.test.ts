import { expect } from 'chai'
import {
  migrate,
  MigrationError,
  readMigrations,
  readPendingMigrations,
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
    expect(await migrate(store, [first, mended, third, aMigration('SELECT 1', 4)])).to.deep.equal(['004-a.sql'])
    expect(await store.columns(sql`SELECT x FROM b ORDER BY x`)).to.deep.equal([[1, 3]])
  })

  it('A migration of a later version that did not end is rejected as one that ended', async () => {
    const first = aMigration('CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Memory')
    await migrate(store, [first])
    for (const [number, from] of [
      [2, 1],
      [3, 3],
    ] as const) {
      const broken = aMigration(`-- Compatible from: ${from}\nDROP TABLE IF EXISTS b; SELEC 1`, number)
      expect(await migrate(store, [first, broken]).catch(() => 'failed')).to.equal('failed')
      const outcome: unknown = await migrate(store, [first]).catch((error: unknown) => error)
      if (from === 1) expect(outcome).to.deep.equal([])
      else expect(outcome).to.include({ code: 'store_format_new' })
    }
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

  it('A store of a version before 0.2.0 is rejected with the steps to take, and stays unchanged', async () => {
    for (const old of ['schema_migrations', 'migrations']) {
      await store.command({ parts: [`CREATE TABLE ${old} (number UInt32) ENGINE = Memory`] })
      for (const check of [migrate, readPendingMigrations]) {
        const error: unknown = await check(store).catch((error: unknown) => error)
        expect(error).to.be.instanceOf(MigrationError)
        expect(error).to.include({ code: 'store_format_old' })
        expect(String(error)).to.include(store.database).and.include('TAKT_DATA_DIR')
      }
      const tables = await store.query<{ name: string }>(
        sql`SELECT name FROM system.tables WHERE database = currentDatabase()`,
      )
      expect(tables).to.deep.equal([{ name: old }])
      await store.command({ parts: [`DROP TABLE ${old} SYNC`] })
    }
  })

  it('A store that a later version migrated is rejected', async () => {
    const first = aMigration('CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = Null')
    await migrate(store, [first, aMigration('DROP TABLE IF EXISTS a', 2)])
    for (const check of [migrate, readPendingMigrations]) {
      const error: unknown = await check(store, [first]).catch((error: unknown) => error)
      expect(error).to.include({ code: 'store_format_new' })
      expect(String(error)).to.include('002-a.sql').and.include('start that version')
    }
  })

  it('A store is accepted whose later migrations are compatible with the newest migration of this version', async () => {
    const known = [1, 2].map(number =>
      aMigration(`CREATE TABLE IF NOT EXISTS a${number} (x UInt8) ENGINE = Null`, number),
    )
    const later = (number: number, from: number) =>
      aMigration(
        `-- Adds.\n-- Compatible from: 00${from}\nCREATE TABLE IF NOT EXISTS b${number} (x UInt8) ENGINE = Null`,
        number,
      )
    await migrate(store, known)
    expect(await readPendingMigrations(store, [...known, later(3, 2)])).to.deep.equal({
      missing: ['003-a.sql'],
      breaking: [],
      newest: 3,
      compatibleFrom: 2,
    })
    await migrate(store, [...known, later(3, 2)])
    expect(await migrate(store, known)).to.deep.equal([])
    await migrate(store, [...known, later(3, 2), later(4, 3)])
    const error: unknown = await migrate(store, known).catch((error: unknown) => error)
    expect(error).to.include({ code: 'store_format_new' })
    expect(String(error)).to.include('004-a.sql')
  })

  it('Migrations that earlier versions cannot work with are breaking, except in a new store', async () => {
    const [first, second] = [1, 2].map(number => aMigration('DROP TABLE IF EXISTS x', number))
    if (!first || !second) throw new Error('two migrations')
    expect((await readPendingMigrations(store, [first, second])).breaking).to.deep.equal([])
    await migrate(store, [first])
    expect((await readPendingMigrations(store, [first, second])).breaking).to.deep.equal(['002-a.sql'])
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
