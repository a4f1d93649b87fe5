import type { KeyName, KeyValue } from '../query/columns.ts'
import type { GroupingLevel } from '../groupings/grouping-levels.ts'
import type { GroupMember } from '../groupings/member.ts'

/** A level of grouping in the rows of a file: its cells and the rows that have them. */
export interface TableLevel {
  readonly key: KeyName
  /** In the order of the file. */
  readonly members: readonly TableMember[]
  /** Whether rows of different keys are in different groups, and none is in two. */
  readonly isOneToOne: boolean
}

export interface TableMember {
  readonly cells: readonly (string | null)[]
  /** Key values of its rows, as texts: refs of operators with commas between. */
  readonly keys: readonly string[]
}

/** The levels of rows with these values of each key. */
export function tableLevels(
  dimensions: readonly GroupingLevel[],
  keys: readonly KeyName[],
  keyValues: readonly (readonly KeyValue[])[],
): readonly TableLevel[] {
  return dimensions.map(dimension => {
    const index = keys.findIndex(name => name === dimension.key)
    const key = keys[index]
    if (key === undefined) throw new Error(`invariant: no rows are grouped by ${dimension.key}`)
    return { key, ...membersOf(dimension, keyValues[index] ?? []) }
  })
}

function membersOf(dimension: GroupingLevel, values: readonly KeyValue[]): Omit<TableLevel, 'key'> {
  const keysOf = new Map<GroupMember, string[]>()
  let isOneToOne = true
  for (const value of values) {
    const members = dimension.of(value)
    isOneToOne &&= members.length === 1
    for (const member of members) {
      const keys = keysOf.get(member)
      if (keys) keys.push(String(value))
      else keysOf.set(member, [String(value)])
    }
  }
  dimension.arrange()
  const inOrder = [...keysOf].sort(([a], [b]) => a.position - b.position)
  return {
    members: inOrder.map(([{ cells }, keys]) => ({ cells, keys })),
    // All groupings by time together identify a cell.
    isOneToOne: isOneToOne && (dimension.key === 'cell' || inOrder.every(([, keys]) => keys.length === 1)),
  }
}
