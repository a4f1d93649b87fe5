import { expect } from 'chai'
import {
  guardedStore,
  harmlessFunctions,
  readingFunctions,
  rejectForeignReads,
} from '../../../clickhouse/tables/company-guard.ts'
import { empty, ident, join, rawSql, sql, str, uint32, type Sql } from '../../../clickhouse/sql/sql.ts'
import { allTables } from '../../../clickhouse/tables/all-tables.ts'
import { days, hours } from '../../../clickhouse/tables/documents.ts'
import { from, fromAll, fromShared } from '../../../clickhouse/tables/from.ts'
import { keyUses, records } from '../../../clickhouse/tables/records.ts'
import { identifier } from '../../../clickhouse/tables/table.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

const mine = asCompanyRef(7)
const other = asCompanyRef(8)
const ownHours = from(hours, mine)
const ownDays = from(days, mine)

/** Queries that read only company 7. */
const good: Readonly<Record<string, Sql>> = {
  'a read of its own company': sql`SELECT machine ${ownHours}`,
  'a read with more conditions': sql`SELECT machine ${from(hours, mine, { final: true, where: [sql`slot > 3`, sql`machine = 1 OR machine = 2`] })} GROUP BY machine`,
  'a read with a first condition': sql`SELECT machine ${from(hours, mine, { first: sql`machine = 1 OR machine = 2`, where: [sql`slot > 3`] })}`,
  'a read of unfolded arrays': sql`SELECT 1 ${from(hours, mine, { final: true, unfold: [sql`facts_duration_ms, arrayMap(x -> (x), facts_run) AS r`] })}`,
  'a read in a subquery': sql`SELECT x FROM (SELECT 1 AS x ${ownHours} ORDER BY slot LIMIT 3) WHERE x > 0 OR x < 0`,
  'a read in every part of a union': sql`SELECT 1 ${ownHours} UNION ALL SELECT 2 ${ownDays}`,
  'a read in every subquery of a join': sql`SELECT 1 FROM (SELECT 1 AS x ${ownHours}) a JOIN (SELECT 1 AS x ${ownDays}) b USING x`,
  'a read in a named SELECT': sql`WITH a AS (SELECT 1 AS x ${ownHours}) SELECT x FROM a`,
  'a read in a condition': sql`SELECT 1 ${from(hours, mine, { where: [sql`machine IN (SELECT machine ${ownDays})`] })}`,
  'a read of system.parts': sql`SELECT name FROM system.parts WHERE table = ${str('days')}`,
  'a read of rows in the query itself': sql`SELECT 1 ${from(hours, mine, { where: [sql`(machine, slot) NOT IN (SELECT machine, slot FROM (SELECT * FROM format(JSONEachRow, ${str('machine UInt32, slot DateTime')}, ${str('{}')})))`] })}`,
  'the name of a table as a value': sql`SELECT ${str('FROM hours')}`,
}

/** Queries that read, or might read, other companies. */
const bad: Readonly<Record<string, Sql>> = {
  'another company': sql`SELECT machine ${from(hours, other)}`,
  'all companies': sql`SELECT machine ${fromAll(hours, 'a test')}`,
  'all companies with a condition': sql`SELECT machine ${fromAll(hours, 'a test', { where: [sql`company = ${uint32(7)}`] })}`,
  'another company in a part of a union': sql`SELECT 1 ${ownHours} UNION ALL SELECT 2 ${from(days, other)}`,
  'another company in a condition': sql`SELECT 1 ${from(hours, mine, { where: [sql`machine IN (SELECT machine ${from(days, other)})`] })}`,
  'another company in a named SELECT': sql`WITH a AS (SELECT 1 AS x ${from(hours, other)}) SELECT x FROM a`,
  'a table of no company': sql`SELECT id ${fromShared(keyUses)}`,
  'an alternative after it': sql`SELECT machine ${ownHours} OR 1 = 1`,
  'an alternative in lower case': sql`SELECT machine ${ownHours} or 1 = 1`,
  'an alternative composed later': join([sql`SELECT machine ${ownHours}`, sql`OR 1 = 1`], sql` `),
  'an alternative by a parameter': sql`SELECT machine ${ownHours}${empty}\n${empty}OR ${uint32(1)}`,
  'a condition after it': sql`SELECT machine ${ownHours} AND 1 = 1`,
  'a comment after it': sql`SELECT machine ${ownHours} /* */ OR 1 = 1`,
  'text after its table': sql`SELECT machine ${fromShared(keyUses)}_of_all`,
  'a joined table': sql`SELECT 1 ${ownHours} JOIN days USING machine`,
  'a table joined to a subquery': sql`SELECT 1 FROM (SELECT 1 AS machine ${ownHours}) JOIN days USING machine`,
  'raw text': sql`SELECT machine FROM hours`,
  'raw text with a condition': sql`SELECT machine FROM hours WHERE company = ${uint32(7)}`,
  'raw text in lower case': sql`select machine from hours`,
  'raw text in two parts': sql`SELECT machine FROM ho${empty}urs`,
  'a name by `ident`': sql`SELECT machine FROM ${ident('hours')}`,
  'a name by `identifier`': sql`SELECT machine FROM ${identifier(hours.name)}`,
  'a name by `rawSql`': sql`SELECT machine FROM ${rawSql('hours')}`,
  'a database before the table': sql`SELECT 1 FROM takt.hours FINAL`,
  'a quoted table': sql`SELECT 1 FROM \`hours\` FINAL`,
  'a table in double quotes': sql`SELECT 1 FROM "hours"`,
  'a quoted table with a code for a letter': sql`SELECT 1 FROM "h\\x6furs"`,
  'a table after a comment': sql`SELECT 1 FROM /* */ hours`,
  'a second table': sql`SELECT 1 FROM (SELECT 1 ${ownHours}), days`,
  'a table after IN': sql`SELECT 1 ${from(hours, mine, { where: [sql`machine IN days`] })}`,
  'a table after TABLE': sql`TABLE hours`,
  'a system table': sql`SELECT query FROM system.processes`,
  'a quoted system table': sql`SELECT query FROM \`system\`.\`processes\``,
  'a system table with spaces in its name': sql`SELECT query FROM system . processes`,
  'a table besides a system table': sql`SELECT name FROM system.parts, hours`,
  'tables by a pattern': sql`SELECT 1 FROM merge(currentDatabase(), '^h')`,
  'tables by a pattern in a parameter': sql`SELECT 1 FROM MERGE ( currentDatabase(), ${str('^h')})`,
  'a table function before a comment': sql`SELECT 1 FROM merge/* */(currentDatabase(), '^h')`,
  'a table function in quotes': sql`SELECT 1 FROM \`merge\`(currentDatabase(), '^h')`,
  'a table function after IN': sql`SELECT 1 IN merge('^h')`,
  'another server': sql`SELECT 1 FROM remote('10.0.0.1', ${str('takt.hours')})`,
  'a file': sql`SELECT 1 FROM file('/etc/passwd', LineAsString)`,
}

/** Parts of a clause that would end the clause or remove its condition. */
const notBuilt: Readonly<Record<string, () => Sql>> = {
  'a condition that closes its parentheses': () => from(hours, mine, { where: [sql`1) OR (1`] }),
  'a condition that leaves a parenthesis open': () => from(hours, mine, { where: [sql`(1`, sql`1) OR 1`] }),
  'a condition with a comment': () => from(hours, mine, { where: [sql`1 -- `] }),
  'a condition with a comment of many lines': () => from(hours, mine, { where: [sql`1 /*`, sql`*/ OR 1`] }),
  'a condition with an unterminated string': () => from(hours, mine, { where: [sql`x = 'a`, sql`') OR (1`] }),
  'a condition with a heredoc string': () => from(hours, mine, { where: [sql`x = $$)$$ OR 1`] }),
  'columns with a condition': () => from(hours, mine, { unfold: [sql`facts_run WHERE 1 UNION ALL SELECT 1`] }),
  'columns with a joined table': () => from(hours, mine, { unfold: [sql`facts_run JOIN days`] }),
}

describe('rejectForeignReads', () => {
  for (const [name, query] of Object.entries(good)) {
    it(`The guard accepts ${name}`, () => expect(rejectForeignReads(query, mine)).to.equal(query))
  }
  for (const [name, query] of Object.entries(bad)) {
    it(`The guard rejects ${name}`, () => expect(() => rejectForeignReads(query, mine)).to.throw('without its company'))
  }
  for (const [name, build] of Object.entries(notBuilt)) {
    it(`The SQL builder rejects ${name}`, () => expect(build).to.throw('is not a complete expression'))
  }

  it('The guard accepts a query that reads no table', () => {
    expect(rejectForeignReads(sql`SELECT 1`, mine).parts).to.have.length(1)
    expect(rejectForeignReads(empty, mine)).to.equal(empty)
  })

  it('The guard rejects every registered table in raw text', () => {
    const passed = allTables.filter(({ name }) => {
      try {
        return rejectForeignReads(rawSql(`SELECT 1 FROM ${name}`), mine)
      } catch {
        return false
      }
    })
    expect(passed).to.deep.equal([])
  })
})

describe('guardedStore', () => {
  const database = useFreshDatabase()

  it('A guarded store runs guarded queries and rejects unguarded ones before they reach the store', async () => {
    const all = sql`SELECT machine ${fromAll(hours, 'a test')}`
    const own = sql`SELECT machine ${ownHours}`
    const store = guardedStore(database(), mine)
    expect(await store.query(own)).to.deep.equal([])
    expect(await store.columns(own)).to.deep.equal([[]])
    for (const asked of [store.query(all), store.columns(all), store.writeFile(all, 'Parquet', '/nowhere')]) {
      const failure: unknown = await asked.catch((error: unknown) => error)
      expect(String(failure)).to.contain('without its company')
    }
    expect(() => store.stream(all, 'CSV')).to.throw('without its company')
  })

  it('A guarded store runs every accepted query', async () => {
    const store = guardedStore(database(), mine)
    for (const query of Object.values(good)) await store.query(query)
  })

  it('An alias with the name of the company column shows no rows of other companies', async () => {
    const row = (company: number) => [company, 1, '2026-03-02 08:00:00']
    await database().insert(
      'hours',
      ['company', 'machine', 'slot'],
      [7, 8]
        .map(row)
        .map(line => JSON.stringify(line))
        .join('\n'),
    )
    const store = guardedStore(database(), mine)
    for (const reading of [{}, { final: true }]) {
      const found = await store.query(sql`SELECT ${uint32(7)} AS company, machine ${from(hours, mine, reading)}`)
      expect(found).to.deep.equal([{ company: 7, machine: 1 }])
    }
  })

  it('Every table function of the engine is classified', async () => {
    const found = await database().query<{ name: string }>(sql`SELECT name FROM system.table_functions`)
    const known: ReadonlySet<string> = new Set([...harmlessFunctions, ...readingFunctions])
    expect(found.map(({ name }) => name).filter(name => !known.has(name))).to.deep.equal([])
  })

  it('Tables can be read by the company id if it is given', () => {
    const byId = sql`SELECT id ${from(records, 'c7')}`
    expect(rejectForeignReads(byId, mine, 'c7')).to.equal(byId)
    expect(() => rejectForeignReads(byId, mine, 'c8')).to.throw('without its company')
    expect(() => rejectForeignReads(byId, mine)).to.throw('without its company')
  })
})
