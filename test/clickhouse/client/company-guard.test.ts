import { expect } from 'chai'
import { guardedStore, refuseWithoutCompany } from '../../../clickhouse/client/company-guard.ts'
import { empty, sql, str, uint32, type Sql } from '../../../clickhouse/sql/sql.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

const mine = sql`company = ${uint32(7)}`

/** Queries that show only company 7. */
const good: Readonly<Record<string, Sql>> = {
  'a condition of its own': sql`SELECT machine FROM hours WHERE ${mine}`,
  'among others': sql`SELECT machine FROM hours FINAL WHERE slot > 3 AND ${mine} AND (machine = 1 OR machine = 2) GROUP BY machine`,
  'after a range': sql`SELECT 1 FROM hours WHERE slot BETWEEN 1 AND 2 AND ${mine}`,
  'unfolded arrays': sql`SELECT 1 FROM hours FINAL ARRAY JOIN facts_duration_ms, facts_run WHERE ${mine}`,
  'in a subquery': sql`SELECT x FROM (SELECT 1 AS x FROM hours WHERE ${mine} ORDER BY slot LIMIT 3) WHERE x > 0 OR x < 0`,
  'in every part of a union': sql`SELECT 1 FROM hours WHERE ${mine} UNION ALL SELECT 2 FROM days WHERE ${mine}`,
  'in every subquery of a join': sql`SELECT 1 FROM (SELECT 1 AS x FROM hours WHERE ${mine}) a JOIN (SELECT 1 AS x FROM days WHERE ${mine}) b USING x`,
  'where it is named': sql`WITH a AS (SELECT 1 AS x FROM hours WHERE ${mine}) SELECT x FROM a`,
  'what the store says of its parts': sql`SELECT name FROM system.parts WHERE table IN ('days', 'hours')`,
  'with what the query brings itself': sql`SELECT 1 FROM hours WHERE ${mine} AND (machine, slot) NOT IN (SELECT machine, slot FROM (SELECT * FROM format(JSONEachRow, ${str('')})))`,
}

/** Queries that show, or might show, more. */
const bad: Readonly<Record<string, Sql>> = {
  'no condition': sql`SELECT machine FROM hours`,
  'another company': sql`SELECT machine FROM hours WHERE company = ${uint32(8)}`,
  'a number of another parameter': sql`SELECT ${uint32(7)} FROM hours WHERE company = ${uint32(8)}`,
  'a literal': sql`SELECT machine FROM hours WHERE company = 7`,
  'an alternative': sql`SELECT machine FROM hours WHERE ${mine} OR 1 = 1`,
  'an alternative in lower case': sql`select machine from hours where ${mine} or 1 = 1`,
  'a denial': sql`SELECT machine FROM hours WHERE NOT ${mine}`,
  'a larger expression': sql`SELECT machine FROM hours WHERE ${mine} + 1`,
  'another column': sql`SELECT machine FROM hours WHERE other_company = ${uint32(7)}`,
  'only HAVING': sql`SELECT company FROM hours GROUP BY company HAVING ${mine}`,
  'only a comment': sql`SELECT machine FROM hours -- WHERE ${mine}`,
  'only a text': sql`SELECT machine FROM hours WHERE 'x WHERE company = {p0:UInt32}' != '' AND ${str('')} = ''`,
  'only the outer query': sql`SELECT x FROM (SELECT machine AS x, company FROM hours) WHERE ${mine}`,
  'only a subquery of the condition': sql`SELECT 1 FROM hours WHERE machine IN (SELECT machine FROM days WHERE ${mine})`,
  'only one part of a union': sql`SELECT 1 FROM hours WHERE ${mine} UNION ALL SELECT 2 FROM days`,
  'only the other part of a union': sql`SELECT 1 FROM hours UNION ALL SELECT 2 FROM days WHERE ${mine}`,
  'a database before the table': sql`SELECT 1 FROM takt.hours FINAL`,
  'another table of the system': sql`SELECT query FROM system.processes`,
  'a table beside one of the system': sql`SELECT name FROM system.parts, hours`,
  'a quoted table': sql`SELECT 1 FROM \`hours\` FINAL`,
  'a second table': sql`SELECT 1 FROM hours, days WHERE ${mine}`,
  'a second table with a name': sql`SELECT 1 FROM hours AS a, days AS b WHERE ${mine}`,
  'a joined table': sql`SELECT 1 FROM hours JOIN days USING machine WHERE ${mine}`,
  'a table joined to a subquery': sql`SELECT 1 FROM (SELECT 1 AS machine FROM hours WHERE ${mine}) JOIN days USING machine`,
  'a table after IN': sql`SELECT 1 FROM hours WHERE ${mine} AND machine IN days`,
  'another server': sql`SELECT 1 FROM remote('10.0.0.1', 'takt.hours') WHERE ${mine}`,
  'a file': sql`SELECT 1 FROM file('/etc/passwd', LineAsString)`,
}

describe('the check for the company', () => {
  for (const [name, query] of Object.entries(good)) {
    it(`lets pass: ${name}`, () => expect(refuseWithoutCompany(query, asCompanyRef(7))).to.equal(query))
  }
  for (const [name, query] of Object.entries(bad)) {
    it(`refuses: ${name}`, () =>
      expect(() => refuseWithoutCompany(query, asCompanyRef(7))).to.throw('without its company'))
  }

  it('needs none where nothing is read', () => {
    expect(refuseWithoutCompany(sql`SELECT 1`, asCompanyRef(7)).parts).to.have.length(1)
    expect(refuseWithoutCompany(empty, asCompanyRef(7))).to.equal(empty)
  })
})

describe('a guarded store', () => {
  const database = useFreshDatabase()

  it('asks for what is guarded and refuses the rest before it is asked', async () => {
    const all = sql`SELECT machine FROM hours`
    const store = guardedStore(database(), asCompanyRef(7))
    expect(await store.query(sql`SELECT machine FROM hours WHERE ${mine}`)).to.deep.equal([])
    expect(await store.columns(sql`SELECT machine FROM hours WHERE ${mine}`)).to.deep.equal([[]])
    for (const asked of [store.query(all), store.columns(all), store.writeFile(all, 'Parquet', '/nowhere')]) {
      const failure: unknown = await asked.catch((error: unknown) => error)
      expect(String(failure)).to.contain('without its company')
    }
    expect(() => store.stream(all, 'CSV')).to.throw('without its company')
  })

  it('lets tables be read by the id of the company, where that is given', () => {
    const byId = sql`SELECT id FROM records WHERE company = ${str('c7')}`
    expect(refuseWithoutCompany(byId, asCompanyRef(7), 'c7')).to.equal(byId)
    expect(() => refuseWithoutCompany(byId, asCompanyRef(7), 'c8')).to.throw('without its company')
    expect(() => refuseWithoutCompany(byId, asCompanyRef(7))).to.throw('without its company')
  })
})
