import { expect } from 'chai'
import { StatementCache } from '../../../../api/graphql/memory/statement-cache.ts'
import type { Source } from '../../../../api/graphql/model/source-reads.ts'
import { sql, str } from '../../../../clickhouse/sql/sql.ts'

describe('the statement cache of GraphQL', () => {
  /** Creates a cache whose queries to the store are counted. */
  function make() {
    const memory = new StatementCache()
    let asked = 0
    const ask = async (company: string, sources: readonly Source[], name = 'a') => {
      const columns = async () => ({ c0: [++asked] })
      return (await memory.query(company, sources, sql`SELECT ${str(name)}`, columns))['c0']?.[0]
    }
    return { memory, ask }
  }

  it('The result of a GraphQL statement is cached until a record that it was read from changes', async () => {
    const { memory, ask } = make()
    expect(await ask('a', ['machine'])).to.equal(1)
    expect(await ask('a', ['machine'])).to.equal(1)
    memory.changed('a', 'annotation')
    memory.changed('b', 'machine')
    expect(await ask('a', ['machine'])).to.equal(1)
    memory.changed('a', 'machine')
    expect(await ask('a', ['machine'])).to.equal(2)
  })

  it('Results of GraphQL statements are cached separately for each company and each bound value', async () => {
    const { ask } = make()
    expect(await ask('a', ['machine'])).to.equal(1)
    expect(await ask('b', ['machine'])).to.equal(2)
    expect(await ask('a', ['machine'], 'other')).to.equal(3)
  })

  it('The result of a GraphQL statement that reads more than records is not cached', async () => {
    const { ask } = make()
    expect(await ask('a', ['machine', 'values'])).to.equal(1)
    expect(await ask('a', ['machine', 'values'])).to.equal(2)
  })

  it('The result of a GraphQL statement is not cached if a record changes while it is read', async () => {
    const memory = new StatementCache()
    const statement = sql`SELECT 1`
    await memory.query('a', ['machine'], statement, async () => {
      memory.changed('a', 'machine')
      return { c0: ['before'] }
    })
    const next = await memory.query('a', ['machine'], statement, async () => ({ c0: ['after'] }))
    expect(next).to.deep.equal({ c0: ['after'] })
  })

  it('A very long result of a GraphQL statement is not cached, and the least recently used long results are evicted', async () => {
    const memory = new StatementCache()
    let asked = 0
    const ask = (company: string, chars: number) =>
      memory.query(company, ['machine'], sql`SELECT 1`, async () => ({ c0: [String(++asked), 'x'.repeat(chars)] }))
    await ask('huge', 1_000_000)
    await ask('huge', 1_000_000)
    expect(asked).to.equal(2)
    await ask('first', 900_000)
    for (let i = 0; i < 30; i++) {
      await ask(`company ${i}`, 900_000)
      await ask('first', 900_000)
    }
    expect(asked, 'queries of the store while the first result is used repeatedly').to.equal(33)
    for (let i = 30; i < 40; i++) await ask(`company ${i}`, 900_000)
    await ask('company 0', 900_000)
    expect(asked, 'queries of the store after the least recently used result was evicted').to.equal(44)
  })
})
