import type { Sample } from '../../schema/sample.ts'
import { array, sql, uint32 } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'

/** The newest sample of a metric, as far as it is kept. */
export type StoredValue = Pick<Sample, 'machine' | 'atUs' | 'key' | 'type' | 'subtype' | 'value'>

/** So many machines are read at once, some hundred values each: the process goes on with other things in between. */
const machinesAtOnce = 50

/** The newest value of every metric of these machines, in pieces. */
export async function* readLatestValues(
  store: Store,
  company: number,
  machines: readonly number[],
): AsyncGenerator<readonly StoredValue[]> {
  for (let first = 0; first < machines.length; first += machinesAtOnce) {
    yield await readSome(store, company, machines.slice(first, first + machinesAtOnce))
  }
}

async function readSome(store: Store, company: number, machines: readonly number[]): Promise<readonly StoredValue[]> {
  const [machine, atUs, key, type, subtype, value] = await store.columns<
    [number[], number[], string[], string[], string[], string[]]
  >(
    sql`
      SELECT machine, at_us, key, type, subtype, value FROM latest_values FINAL
      WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)}`,
    { lane: 'process', settings: { output_format_json_quote_64bit_integers: 0 } },
  )
  return machine.map((ref, i) => ({
    machine: ref,
    atUs: atUs[i] ?? 0,
    key: key[i] ?? '',
    type: type[i] ?? '',
    subtype: subtype[i] ?? '',
    value: value[i] ?? '',
  }))
}

/** The metrics that machines ever had a value of, as many of each machine as one may name. */
export async function readUsedNames(
  store: Store,
  company: number,
  machines: readonly number[],
): Promise<readonly Omit<StoredValue, 'atUs' | 'value'>[]> {
  const [machine, key, type, subtype] = await store.columns<[number[], string[], string[], string[]]>(
    sql`
      SELECT DISTINCT machine, key, type, subtype FROM latest_values
      WHERE company = ${uint32(company)} AND machine IN ${array(uint32, machines)} LIMIT 10000 BY machine`,
    { lane: 'process' },
  )
  return machine.map((ref, i) => ({
    machine: ref,
    key: key[i] ?? '',
    type: type[i] ?? '',
    subtype: subtype[i] ?? '',
  }))
}
