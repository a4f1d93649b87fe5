import { expect } from 'chai'
import {
  array,
  date,
  empty,
  ident,
  inline,
  dateTime64,
  int32,
  join,
  render,
  sql,
  str,
  uint32,
  uint64,
} from '../../../clickhouse/sql/sql.ts'

describe('sql', () => {
  it('SQL renders to text with placeholders and separate parameters', () => {
    const filter = sql`company = ${uint32(3)} AND name = ${str("it's")}`
    expect(render(sql`SELECT * FROM ${ident('hours')} WHERE ${filter} AND at >= ${dateTime64(1)}`)).to.deep.equal({
      query:
        "SELECT * FROM hours WHERE company = {p0:UInt32} AND name = {p1:String} AND at >= {p2:DateTime64(3, 'UTC')}",
      query_params: { p0: 3, p1: "it's", p2: '1970-01-01 00:00:00.001' },
    })
  })

  it('Rendering a query twice returns the same text', () => {
    const query = sql`SELECT ${uint32(1)}, ${array(str, ['a', 'b'])}`
    expect(render(query)).to.deep.equal(render(query))
  })

  it('SQL fragments are joined with a separator', () => {
    expect(render(join([sql`a`, sql`b`, sql`${uint32(1)}`])).query).to.equal('a, b, {p0:UInt32}')
    expect(render(join([sql`a`, sql`b`], sql` AND `)).query).to.equal('a AND b')
    expect(render(join([])).query).to.equal('')
    expect(render(sql`x${empty}y`).query).to.equal('xy')
  })

  it('Inlined parameters are literals that their content cannot end', () => {
    expect(inline(sql`${str("a'; DROP TABLE x; --\\")}`)).to.equal("CAST('a\\'; DROP TABLE x; --\\\\', 'String')")
    expect(inline(sql`${array(str, ["'", '\0'])}`)).to.equal("CAST(['\\'','\\0'], 'Array(String)')")
    expect(inline(sql`${array(uint64, [1, '2', 3n])}`)).to.equal("CAST([1,2,3], 'Array(UInt64)')")
    expect(inline(sql`${date('2026-01-31')}`)).to.equal("CAST('2026-01-31', 'Date32')")
  })

  it('SQL parameters outside of the range of their type are rejected', () => {
    for (const wrong of [-1, 1.5, 2 ** 32, Number.NaN, Infinity]) expect(() => uint32(wrong)).to.throw(RangeError)
    expect(() => int32(2 ** 31)).to.throw(RangeError)
    for (const wrong of [2 ** 53, -1, '1.5', 'x', '', 2n ** 64n]) expect(() => uint64(wrong)).to.throw(RangeError)
    expect(() => date("2026-1-1'")).to.throw(RangeError)
    expect(() => dateTime64(Number.NaN)).to.throw(RangeError)
    expect(() => array(uint32, [1, -1])).to.throw(RangeError)
  })

  it('Only trusted identifiers and typed values are accepted in SQL', () => {
    expect(() => ident('a b')).to.throw(TypeError)
    expect(render(ident('hours.slot')).query).to.equal('hours.slot')
    const unknown: string = 'hours'
    // @ts-expect-error a string of unknown origin is not an identifier
    ident(unknown)
    // @ts-expect-error a string is not SQL
    expect(() => sql`SELECT ${unknown}`).to.throw(TypeError)
  })
})
