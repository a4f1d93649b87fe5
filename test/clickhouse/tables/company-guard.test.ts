import { expect } from 'chai'
import {
  guardedStore,
  harmlessFunctions,
  readingFunctions,
  refuseWithoutCompany,
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

/** Queries that show only company 7. */
const good: Readonly<Record<string, Sql>> = {
  'a read of its own': sql`SELECT machine ${ownHours}`,
  'with more conditions': sql`SELECT machine ${from(hours, mine, { final: true, where: [sql`slot > 3`, sql`machine = 1 OR machine = 2`] })} GROUP BY machine`,
  'unfolded arrays': sql`SELECT 1 ${from(hours, mine, { final: true, unfold: [sql`facts_duration_ms, arrayMap(x -> (x), facts_run) AS r`] })}`,
  'in a subquery': sql`SELECT x FROM (SELECT 1 AS x ${ownHours} ORDER BY slot LIMIT 3) WHERE x > 0 OR x < 0`,
  'in every part of a union': sql`SELECT 1 ${ownHours} UNION ALL SELECT 2 ${ownDays}`,
  'in every subquery of a join': sql`SELECT 1 FROM (SELECT 1 AS x ${ownHours}) a JOIN (SELECT 1 AS x ${ownDays}) b USING x`,
  'where it is named': sql`WITH a AS (SELECT 1 AS x ${ownHours}) SELECT x FROM a`,
  'among the conditions': sql`SELECT 1 ${from(hours, mine, { where: [sql`machine IN (SELECT machine ${ownDays})`] })}`,
  'what the store says of its parts': sql`SELECT name FROM system.parts WHERE table = ${str('days')}`,
  'with what the query brings itself': sql`SELECT 1 ${from(hours, mine, { where: [sql`(machine, slot) NOT IN (SELECT machine, slot FROM (SELECT * FROM format(JSONEachRow, ${str('machine UInt32, slot DateTime')}, ${str('{}')})))`] })}`,
  'a name of a table as a value': sql`SELECT ${str('FROM hours')}`,
}

/** Queries that show, or might show, more. */
const bad: Readonly<Record<string, Sql>> = {
  'another company': sql`SELECT machine ${from(hours, other)}`,
  'all companies': sql`SELECT machine ${fromAll(hours, 'a test')}`,
  'all companies, but with a condition': sql`SELECT machine ${fromAll(hours, 'a test', { where: [sql`company = ${uint32(7)}`] })}`,
  'another company in a part of a union': sql`SELECT 1 ${ownHours} UNION ALL SELECT 2 ${from(days, other)}`,
  'another company in a condition': sql`SELECT 1 ${from(hours, mine, { where: [sql`machine IN (SELECT machine ${from(days, other)})`] })}`,
  'another company in a named SELECT': sql`WITH a AS (SELECT 1 AS x ${from(hours, other)}) SELECT x FROM a`,
  'a table of no company': sql`SELECT id ${fromShared(keyUses)}`,
  'an alternative behind it': sql`SELECT machine ${ownHours} OR 1 = 1`,
  'an alternative in lower case': sql`SELECT machine ${ownHours} or 1 = 1`,
  'an alternative composed later': join([sql`SELECT machine ${ownHours}`, sql`OR 1 = 1`], sql` `),
  'an alternative by a parameter': sql`SELECT machine ${ownHours}${empty}\n${empty}OR ${uint32(1)}`,
  'a condition behind it': sql`SELECT machine ${ownHours} AND 1 = 1`,
  'a comment behind it': sql`SELECT machine ${ownHours} /* */ OR 1 = 1`,
  'a text behind its table': sql`SELECT machine ${fromShared(keyUses)}_of_all`,
  'a joined table': sql`SELECT 1 ${ownHours} JOIN days USING machine`,
  'a table joined to a subquery': sql`SELECT 1 FROM (SELECT 1 AS machine ${ownHours}) JOIN days USING machine`,
  'raw text': sql`SELECT machine FROM hours`,
  'raw text with a condition': sql`SELECT machine FROM hours WHERE company = ${uint32(7)}`,
  'raw text in lower case': sql`select machine from hours`,
  'raw text of two pieces': sql`SELECT machine FROM ho${empty}urs`,
  'a name by `ident`': sql`SELECT machine FROM ${ident('hours')}`,
  'a name by `identifier`': sql`SELECT machine FROM ${identifier(hours.name)}`,
  'a name by `rawSql`': sql`SELECT machine FROM ${rawSql('hours')}`,
  'a database before the table': sql`SELECT 1 FROM takt.hours FINAL`,
  'a quoted table': sql`SELECT 1 FROM \`hours\` FINAL`,
  'a table in double quotes': sql`SELECT 1 FROM "hours"`,
  'a quoted table with a code for a letter': sql`SELECT 1 FROM "h\\x6furs"`,
  'a table behind a comment': sql`SELECT 1 FROM /* */ hours`,
  'a second table': sql`SELECT 1 FROM (SELECT 1 ${ownHours}), days`,
  'a table after IN': sql`SELECT 1 ${from(hours, mine, { where: [sql`machine IN days`] })}`,
  'a table after TABLE': sql`TABLE hours`,
  'a table of the system': sql`SELECT query FROM system.processes`,
  'a table of the system in quotes': sql`SELECT query FROM \`system\`.\`processes\``,
  'a table of the system, spread': sql`SELECT query FROM system . processes`,
  'a table beside one of the system': sql`SELECT name FROM system.parts, hours`,
  'tables by a pattern': sql`SELECT 1 FROM merge(currentDatabase(), '^h')`,
  'tables by a pattern in a parameter': sql`SELECT 1 FROM MERGE ( currentDatabase(), ${str('^h')})`,
  'a table function behind a comment': sql`SELECT 1 FROM merge/* */(currentDatabase(), '^h')`,
  'a table function in quotes': sql`SELECT 1 FROM \`merge\`(currentDatabase(), '^h')`,
  'a table function after IN': sql`SELECT 1 IN merge('^h')`,
  'another server': sql`SELECT 1 FROM remote('10.0.0.1', ${str('takt.hours')})`,
  'a file': sql`SELECT 1 FROM file('/etc/passwd', LineAsString)`,
}

/** Parts of a clause that would end it, or take its condition away. */
const notBuilt: Readonly<Record<string, () => Sql>> = {
  'a condition that closes its parentheses': () => from(hours, mine, { where: [sql`1) OR (1`] }),
  'a condition that leaves one open': () => from(hours, mine, { where: [sql`(1`, sql`1) OR 1`] }),
  'a condition with a comment': () => from(hours, mine, { where: [sql`1 -- `] }),
  'a condition with a comment of many lines': () => from(hours, mine, { where: [sql`1 /*`, sql`*/ OR 1`] }),
  'a condition with half a text': () => from(hours, mine, { where: [sql`x = 'a`, sql`') OR (1`] }),
  'a condition with a text of another kind': () => from(hours, mine, { where: [sql`x = $$)$$ OR 1`] }),
  'columns with a condition': () => from(hours, mine, { unfold: [sql`facts_run WHERE 1 UNION ALL SELECT 1`] }),
  'columns with a joined table': () => from(hours, mine, { unfold: [sql`facts_run JOIN days`] }),
}

describe('the check for the company', () => {
  for (const [name, query] of Object.entries(good)) {
    it(`lets pass: ${name}`, () => expect(refuseWithoutCompany(query, mine)).to.equal(query))
  }
  for (const [name, query] of Object.entries(bad)) {
    it(`refuses: ${name}`, () => expect(() => refuseWithoutCompany(query, mine)).to.throw('without its company'))
  }
  for (const [name, build] of Object.entries(notBuilt)) {
    it(`never sees: ${name}`, () => expect(build).to.throw('no expression of its own'))
  }

  it('needs no read', () => {
    expect(refuseWithoutCompany(sql`SELECT 1`, mine).parts).to.have.length(1)
    expect(refuseWithoutCompany(empty, mine)).to.equal(empty)
  })

  it('knows the name of every table', () => {
    const passed = allTables.filter(({ name }) => {
      try {
        return refuseWithoutCompany(rawSql(`SELECT 1 FROM ${name}`), mine)
      } catch {
        return false
      }
    })
    expect(passed).to.deep.equal([])
  })
})

describe('a guarded store', () => {
  const database = useFreshDatabase()

  it('asks for what is guarded and refuses the rest before it is asked', async () => {
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

  it('runs every query that passes', async () => {
    const store = guardedStore(database(), mine)
    for (const query of Object.values(good)) await store.query(query)
  })

  it('shows no other rows to a SELECT that gives the name of the column to a value', async () => {
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

  it('knows every table function of the engine', async () => {
    const found = await database().query<{ name: string }>(sql`SELECT name FROM system.table_functions`)
    const known: ReadonlySet<string> = new Set([...harmlessFunctions, ...readingFunctions])
    expect(found.map(({ name }) => name).filter(name => !known.has(name))).to.deep.equal([])
  })

  it('lets tables be read by the id of the company, where that is given', () => {
    const byId = sql`SELECT id ${from(records, 'c7')}`
    expect(refuseWithoutCompany(byId, mine, 'c7')).to.equal(byId)
    expect(() => refuseWithoutCompany(byId, mine, 'c8')).to.throw('without its company')
    expect(() => refuseWithoutCompany(byId, mine)).to.throw('without its company')
  })
})
