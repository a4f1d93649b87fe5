import { StringDecoder } from 'node:string_decoder'
import type { Sql } from '../../clickhouse/sql.ts'
import type { QueryOptions, Store } from '../../clickhouse/store.ts'

/** The rows of a SELECT as the engine streams them: however many there are, only a piece of them is held. */
export async function* streamedRows<Row extends readonly unknown[]>(
  store: Pick<Store, 'stream'>,
  query: Sql,
  options: QueryOptions = {},
): AsyncGenerator<Row> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of store.stream(query, 'JSONCompactEachRow', options)) {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield parseRow<Row>(line)
  }
  if (rest !== '') yield parseRow<Row>(rest)
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what its SELECT gives
function parseRow<Row>(line: string): Row {
  const row: Row = JSON.parse(line)
  return row
}
