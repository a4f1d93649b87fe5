import { flatFieldName, groupingFields, type GroupingName } from '../../../schema/groupings.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'

/** The entity or time bucket that a group stands for. All groups of one entity share one object. */
export interface GroupMember {
  readonly id: string
  /** As in the answer's `entities`. */
  readonly entity: object
  /** How flat rows name it, with the other fields of its entity; null id: it has no such dimension. */
  readonly flat: Readonly<Record<string, FlatValue>>
  /** Its cells in files, without the names of the columns. */
  readonly cells: readonly (string | null)[]
  /** Texts that it is ordered by, one after the other; where all are equal, its id decides. */
  readonly order: readonly string[]
  /** Its place among the members of its level, once all are known. */
  position: number
}

export type FlatValue = string | boolean | null

/**
 * Makes a member's fields in flat rows and its cells in files: name, id (null: it has no such dimension) and fields of
 * its entity as it is shown.
 */
export function flatMember(
  group: GroupingName,
  name: string,
  id: string | null,
  entity: Readonly<Record<string, unknown>>,
): Pick<GroupMember, 'flat' | 'cells'> {
  const flat: Record<string, FlatValue> = { [group]: name, [`${group}Id`]: id }
  const cells: (string | null)[] = [name, id]
  for (const field of groupingFields[group]) {
    const value = flatValue(entity[field.name])
    flat[flatFieldName(group, field.name)] = value
    if (field.inFiles) cells.push(value === null ? null : String(value))
  }
  return { flat, cells }
}

function flatValue(value: unknown): FlatValue {
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}

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
