import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { machineRef, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, Store, StoreReads } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { machineFirstSeen } from '../tables/samples.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'

/** An instant at which a machine was seen, UTC ms. */
interface Seen {
  readonly machineRef: MachineRef
  readonly ms: number
}

interface FirstSeen extends Seen {
  readonly companyRef: CompanyRef
}

/**
 * Stores the first instant of each machine. Writes a row only if an instant is earlier than all that this process has written: about one
 * per machine and start. Await it before the samples are stored, so that no stored sample is earlier than the first instant.
 */
export function createFirstSeenWriter(store: Pick<Store, 'insert'>) {
  const known = new Map<MachineRef, number>()
  return async (companyRef: CompanyRef, seen: Iterable<Seen>): Promise<void> => {
    const earlier = new Map<MachineRef, number>()
    for (const { machineRef, ms } of seen) {
      const first = earlier.get(machineRef) ?? known.get(machineRef)
      if (first === undefined || ms < first) earlier.set(machineRef, ms)
    }
    if (earlier.size === 0) return
    const found = [...earlier].map(([machineRef, ms]): FirstSeen => ({ companyRef, machineRef, ms }))
    await insertRows(store, firstSeenWriter, found)
    for (const { machineRef, ms } of found) known.set(machineRef, Math.min(ms, known.get(machineRef) ?? Infinity))
  }
}

const firstSeenWriter: RowWriter<FirstSeen> = rowWriter(machineFirstSeen, {
  company: ({ companyRef }) => companyRef,
  machine: ({ machineRef }) => machineRef,
  first_ms: ({ ms }) => ms,
})

/** Reads the first sample or heartbeat of each machine, UTC ms; machines without one are missing. Rejects with a `StoreError`. */
export function readFirstSeen(
  store: StoreReads,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  options: QueryOptions,
): Promise<readonly { readonly machineRef: MachineRef; readonly firstSeenMs: number }[]> {
  const query = sql`
    SELECT machine AS machineRef, min(first_ms) AS firstSeenMs ${from(machineFirstSeen, companyRef, { where: [ofMachines(machines)] })}
    GROUP BY machine`
  return rows(store, query, { machineRef, firstSeenMs: wide }, options)
}
