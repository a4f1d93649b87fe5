import type { Dimension } from '../dimensions.ts'
import type { Member } from '../member.ts'
import type { KeyValue } from '../columns.ts'
import type { DimensionKey } from '../entities.ts'

/**
 * Records of downtime, rejects or alarms that are alike in everything that groups tell apart. One that lies in several groups of a
 * kind (days, shifts) has a part for each; it counts once in each of them and once above them.
 */
export interface RecordRow {
  readonly records: number
  /** `ref`; 0 where rows aren't told apart by it. */
  readonly machine: number
  readonly parts: readonly RecordPart[]
}

/** What the records of a row have in one place: ms of downtime or of alarms, or parts rejected. */
export interface RecordPart {
  readonly keys: Readonly<Partial<Record<DimensionKey, KeyValue>>>
  readonly amount: number
  /** UTC ms; missing where nobody asks. */
  readonly firstMs?: number
  readonly lastMs?: number
}

/** A group of a level, with the groups of the next level within it. */
export interface RecordGroup {
  /** What it stands for; null: the whole report. */
  readonly member: Member | null
  amount: number
  records: number
  firstMs: number
  lastMs: number
  readonly machines: Set<number>
  readonly children: Map<Member, RecordGroup>
}

/** Adds every row to the groups that it belongs to: each level for itself, so that a record counts once in each of its groups. Members get their positions. */
export function foldRecords(rows: readonly RecordRow[], dimensions: readonly Dimension[]): RecordGroup {
  const root = createGroup(null)
  const visit = (group: RecordGroup, level: number, row: RecordRow, parts: readonly RecordPart[]): void => {
    add(group, row, parts)
    const dimension = dimensions[level]
    if (!dimension) return
    for (const [member, own] of byMember(dimension, parts)) {
      let child = group.children.get(member)
      if (!child) group.children.set(member, (child = createGroup(member)))
      visit(child, level + 1, row, own)
    }
  }
  for (const row of rows) visit(root, 0, row, row.parts)
  for (const dimension of dimensions) dimension.arrange()
  return root
}

/** The groups of the next level within it, in order. */
export function childrenOf({ children }: RecordGroup): readonly RecordGroup[] {
  return [...children.values()].sort((a, b) => memberOf(a).position - memberOf(b).position)
}

/** What a group within the report stands for. */
export function memberOf({ member }: RecordGroup): Member {
  if (!member) throw new Error('invariant: a group stands for a member')
  return member
}

/** What the groups of a level stand for, each once, in order. */
export function membersAt(root: RecordGroup, level: number): readonly Member[] {
  const found = new Set<Member>()
  const visit = ({ children }: RecordGroup, left: number): void => {
    for (const [member, group] of children) {
      if (left === 0) found.add(member)
      else visit(group, left - 1)
    }
  }
  visit(root, level)
  return [...found].sort((a, b) => a.position - b.position)
}

function createGroup(member: Member | null): RecordGroup {
  return {
    member,
    amount: 0,
    records: 0,
    firstMs: Infinity,
    lastMs: -Infinity,
    machines: new Set(),
    children: new Map(),
  }
}

function add(group: RecordGroup, { records, machine }: RecordRow, parts: readonly RecordPart[]): void {
  group.records += records
  group.machines.add(machine)
  for (const { amount, firstMs = Infinity, lastMs = -Infinity } of parts) {
    group.amount += amount
    group.firstMs = Math.min(group.firstMs, firstMs)
    group.lastMs = Math.max(group.lastMs, lastMs)
  }
}

/** Parts by the members that they belong to: to several where groups overlap, to none where a filter hides them. */
function byMember(dimension: Dimension, parts: readonly RecordPart[]): ReadonlyMap<Member, RecordPart[]> {
  const found = new Map<Member, RecordPart[]>()
  for (const part of parts) {
    for (const member of dimension.of(part.keys[dimension.key] ?? 0)) {
      const own = found.get(member)
      if (own) own.push(part)
      else found.set(member, [part])
    }
  }
  return found
}
