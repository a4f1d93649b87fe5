import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { machineFirstSeen } from '../tables/samples.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import type { Store } from '../client/store.ts'

/** An instant at which a machine was seen, UTC ms. */
interface Seen {
  readonly machineRef: MachineRef
  readonly ms: number
}

interface FirstSeen extends Seen {
  readonly companyRef: CompanyRef
}

/**
 * Keeps when each machine was first seen. It writes a row only where an instant is earlier than all that this process knows of: about
 * one a machine and start. Await it before what was seen is stored, so that nothing stored is earlier than a machine's first instant.
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
