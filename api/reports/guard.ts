import { render, type Sql } from '../../clickhouse/sql.ts'

const tables = /\bFROM\s+(\w+)\s+FINAL\b/g

/**
 * The last check before a report is run: throws unless every table is read with the company's own condition. What is
 * compiled always has it; a bug that loses it must not show one company another's plant.
 */
export function refuseWithoutCompany(query: Sql, company: number): Sql {
  const { query: text, query_params: params } = render(query)
  const reads = [...text.matchAll(tables)]
  const selects = reads.map(({ index }, i) => text.slice(index, reads[i + 1]?.index))
  const guarded = selects.every(select => {
    const name = /\bcompany = \{(\w+):UInt32\}/.exec(select)?.[1]
    return name !== undefined && params[name] === company
  })
  if (!guarded) throw new Error(`invariant: a report reads a table without its company: ${text}`)
  return query
}
