import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { batchCallsByKey } from '../../shared/async/batch-calls.ts'

type OfMachine = { readonly machineRef: MachineRef }
/** Reads rows of machines of a company; `bounds` are further conditions, such as a time range. */
type Read<Bounds extends readonly number[], Row extends OfMachine> = (
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  ...bounds: Bounds
) => Promise<readonly Row[]>

/**
 * Combines concurrent reads that differ only in their machines into one: most of a statement's cost is its planning.
 */
export function gatherReads<Bounds extends readonly number[], Row extends OfMachine>(
  read: Read<Bounds, Row>,
): Read<Bounds, Row> {
  const readBatched = batchCallsByKey(async (calls: readonly Parameters<Read<Bounds, Row>>[]) => {
    const [first] = calls
    if (!first) return []
    const [companyRef, , ...bounds] = first
    const machines = calls.flatMap(([, machines]) => machines)
    return read(companyRef, machines, ...bounds)
  })
  return async (companyRef, machines, ...bounds) => {
    const rows = await readBatched([companyRef, ...bounds].join('/'), [companyRef, machines, ...bounds])
    const own = new Set(machines)
    const isOwn = ({ machineRef }: Row) => own.has(machineRef)
    return rows.every(isOwn) ? rows : rows.filter(isOwn)
  }
}
