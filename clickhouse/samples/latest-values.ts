import type { Sample } from '../../schema/sample.ts'
import { text, wide, machineRef } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { latestValues } from '../tables/samples.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** The newest sample of a metric, as far as it is kept. */
export type StoredValue = Pick<Sample, 'machineRef' | 'atUs' | 'key' | 'type' | 'subtype' | 'value'>

/** So many machines are read at once, some hundred values each: the process goes on with other things in between. */
const machinesAtOnce = 50

/** The newest value of every metric of these machines, in pieces. */
export async function* readLatestValues(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
): AsyncGenerator<readonly StoredValue[]> {
  for (let first = 0; first < machines.length; first += machinesAtOnce) {
    yield await readSome(store, companyRef, machines.slice(first, first + machinesAtOnce))
  }
}

async function readSome(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
): Promise<readonly StoredValue[]> {
  return rows(
    store,
    sql`
      SELECT machine AS machineRef, at_us AS atUs, key, type, subtype, value
      ${from(latestValues, companyRef, { final: true, where: [ofMachines(machines)] })}`,
    { machineRef, atUs: wide, key: text, type: text, subtype: text, value: text },
    { lane: 'process' },
  )
}

/** The metrics that machines ever had a value of, as many of each machine as one may name. */
export async function readUsedNames(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
): Promise<readonly Omit<StoredValue, 'atUs' | 'value'>[]> {
  return rows(
    store,
    sql`
      SELECT DISTINCT machine AS machineRef, key, type, subtype ${from(latestValues, companyRef, { where: [ofMachines(machines)] })}
      LIMIT 10000 BY machine`,
    { machineRef, key: text, type: text, subtype: text },
    { lane: 'process' },
  )
}
