import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { batchCallsByKey } from '../../shared/async/batch-calls.ts'

type OfMachine = { readonly machineRef: MachineRef }
/** Reads rows of machines of a company; `bounds`: what else says which rows. */
type Read<Bounds extends readonly number[], Row extends OfMachine> = (
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  ...bounds: Bounds
) => Promise<readonly Row[]>

/**
 * Makes one read of those that partitions ask for at the same time, where they differ in machines alone: a statement costs by its
 * planning, and hardly by its machines.
 */
export function gatherReads<Bounds extends readonly number[], Row extends OfMachine>(
  read: Read<Bounds, Row>,
): Read<Bounds, Row> {
  const ask = batchCallsByKey(async (asked: readonly Parameters<Read<Bounds, Row>>[]) => {
    const [first] = asked
    if (!first) return []
    const [companyRef, , ...bounds] = first
    return read(
      companyRef,
      asked.flatMap(([, machines]) => machines),
      ...bounds,
    )
  })
  return async (companyRef, machines, ...bounds) => {
    const rows = await ask([companyRef, ...bounds].join('/'), [companyRef, machines, ...bounds])
    const own = new Set(machines)
    return rows.every(({ machineRef }) => own.has(machineRef))
      ? rows
      : rows.filter(({ machineRef }) => own.has(machineRef))
  }
}
