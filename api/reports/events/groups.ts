import type { GroupingLevel } from '../grouping-levels.ts'
import type { Member } from '../member.ts'
import type { KeyValue } from '../columns.ts'
import type { DimensionKey } from '../entities.ts'

/**
 * Records of downtime, rejects or alarms that are alike in everything that groups tell apart. One that lies in several groups of a
 * kind (days, shifts) has a part for each; it counts once in each of them and once above them.
 */
export interface EventRow {
  readonly records: number
  /** `ref`; missing where nobody asks how many machines there are. */
  readonly machine?: number
  readonly parts: readonly Share[]
}

/** What the records of a row have in one place: ms of downtime or of alarms, or parts rejected. */
export interface Share {
  readonly keys: Readonly<Partial<Record<DimensionKey, KeyValue>>>
  readonly amount: number
  /** UTC ms; missing where nobody asks. */
  readonly firstMs?: number
  readonly lastMs?: number
}

/** A group of a level, with the groups of the next level within it. */
export interface EventGroup {
  /** What it stands for; null: the whole report. */
  readonly member: Member | null
  amount: number
  records: number
  /** UTC ms; null: nobody asks, or nothing is there. */
  firstMs: number | null
  lastMs: number | null
  /** None are kept where nobody asks, nor children on the last level: there may be a hundred thousand of such groups. */
  machines: Set<number> | null
  children: Map<Member, EventGroup> | null
}

/** Adds every row to the groups that it belongs to: each level for itself, so that a record counts once in each of its groups. Members get their positions. */
export function foldEvents(rows: Iterable<EventRow>, dimensions: readonly GroupingLevel[]): EventGroup {
  const root = createGroup(null)
  const visit = (group: EventGroup, level: number, row: EventRow, parts: readonly Share[]): void => {
    add(group, row, parts)
    const dimension = dimensions[level]
    if (!dimension) return
    if (areAlike(dimension, parts)) {
      for (const member of membersOf(dimension, parts[0])) visit(childOf(group, member), level + 1, row, parts)
    } else {
      for (const [member, own] of byMember(dimension, parts)) visit(childOf(group, member), level + 1, row, own)
    }
  }
  for (const row of rows) visit(root, 0, row, row.parts)
  for (const dimension of dimensions) dimension.arrange()
  return root
}

/** The groups of the next level within it, in order. */
export function childrenOf({ children }: EventGroup): readonly EventGroup[] {
  if (!children) return []
  return [...children.values()].sort((a, b) => memberOf(a).position - memberOf(b).position)
}

/** What a group within the report stands for. */
export function memberOf({ member }: EventGroup): Member {
  if (!member) throw new Error('invariant: a group stands for a member')
  return member
}

const none: ReadonlyMap<Member, EventGroup> = new Map()

/** What the groups of a level stand for, each once, in order. */
export function membersAt(root: EventGroup, level: number): readonly Member[] {
  const members = new Set<Member>()
  const visit = ({ children }: EventGroup, left: number): void => {
    for (const [member, group] of children ?? none) {
      if (left === 0) members.add(member)
      else visit(group, left - 1)
    }
  }
  visit(root, level)
  return [...members].sort((a, b) => a.position - b.position)
}

function createGroup(member: Member | null): EventGroup {
  return {
    member,
    amount: 0,
    records: 0,
    firstMs: null,
    lastMs: null,
    machines: null,
    children: null,
  }
}

function childOf(group: EventGroup, member: Member): EventGroup {
  const children = (group.children ??= new Map<Member, EventGroup>())
  let child = children.get(member)
  if (!child) children.set(member, (child = createGroup(member)))
  return child
}

function add(group: EventGroup, { records, machine }: EventRow, parts: readonly Share[]): void {
  group.records += records
  if (machine !== undefined) (group.machines ??= new Set()).add(machine)
  for (const { amount, firstMs, lastMs } of parts) {
    group.amount += amount
    if (firstMs !== undefined) group.firstMs = Math.min(group.firstMs ?? Infinity, firstMs)
    if (lastMs !== undefined) group.lastMs = Math.max(group.lastMs ?? -Infinity, lastMs)
  }
}

/** Whether the dimension doesn't tell the parts apart, as it is with most rows. */
function areAlike({ key }: GroupingLevel, parts: readonly Share[]): boolean {
  const value = parts[0]?.keys[key]
  for (let i = 1; i < parts.length; i++) if (parts[i]?.keys[key] !== value) return false
  return true
}

/** Parts by the members that they belong to: to several where groups overlap, to none where a filter hides them. */
function byMember(dimension: GroupingLevel, parts: readonly Share[]): ReadonlyMap<Member, Share[]> {
  const found = new Map<Member, Share[]>()
  for (const part of parts) {
    for (const member of membersOf(dimension, part)) {
      const own = found.get(member)
      if (own) own.push(part)
      else found.set(member, [part])
    }
  }
  return found
}

function membersOf(dimension: GroupingLevel, part: Share | undefined): readonly Member[] {
  return dimension.of(part?.keys[dimension.key] ?? 0)
}
