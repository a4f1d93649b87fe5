import type { MachineRecord } from '../../../schema/records/machine.ts'
import { flatMember, type GroupMember } from './member.ts'

const known = new WeakMap<readonly MachineRecord[], ReadonlyMap<number, readonly GroupMember[]>>()

/**
 * By ref, what groups by machine stand for. Made once for as long as a company's machines stay as they are (the list is another one
 * then), as a company has thousands; they come in the order of reports: by name, then id.
 */
export function machineMembers(machines: readonly MachineRecord[]): ReadonlyMap<number, readonly GroupMember[]> {
  let members = known.get(machines)
  if (!members)
    known.set(machines, (members = new Map(machines.map((machine, i) => [machine.ref, [memberOf(machine, i)]]))))
  return members
}

function memberOf({ id, name }: MachineRecord, position: number): GroupMember {
  return {
    id,
    entity: { id, name },
    ...flatMember('machine', name, id, {}),
    order: [name],
    position,
  }
}
