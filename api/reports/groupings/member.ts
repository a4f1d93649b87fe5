import { flatFieldName, groupingFields, type GroupingName } from '../../../schema/groupings.ts'

/** What a group of one grouping stands for; the same object for all groups of one entity. */
export interface Member {
  readonly id: string
  /** As in the answer's `entities`. */
  readonly entity: object
  /** How flat rows name it, with the other fields of its entity; null id: it has no such dimension. */
  readonly flat: Readonly<Record<string, FlatValue>>
  /** What files have of it, without the names of the columns. */
  readonly cells: readonly (string | null)[]
  /** What it is ordered by: one text after the other, then its id. */
  readonly order: readonly string[]
  /** Its place among them, once all are known. */
  position: number
}

export type FlatValue = string | boolean | null

/** What flat rows and files have of a member: name, id (null: it has no such dimension) and fields of its entity as it is shown. */
export function flatMember(
  group: GroupingName,
  name: string,
  id: string | null,
  entity: Readonly<Record<string, unknown>>,
): Pick<Member, 'flat' | 'cells'> {
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
