import type { GroupMember } from '../groupings/grouping-levels.ts'

/** A group by its number. */
export type Group = number

/** The whole report. */
export const root: Group = 0

/**
 * The groups of a report as numbers instead of objects, because there are up to millions. They are numbered by level and, within a level, in
 * the order of the response: the groups within a group are consecutive.
 */
export class GroupTree {
  /** Where each level begins. */
  readonly #levels: Group[] = [root]
  /** By group, for all levels except the last: end of the groups within it. */
  #ends = new Int32Array()
  /** The members of all levels, one level after the other. */
  #members: readonly (GroupMember | undefined)[] = []
  /** By group: the index of its member in `#members`; -1 for the whole report. */
  #indexes: Int32Array = Int32Array.of(-1)

  /** Number of groups, including the whole report. */
  get size(): number {
    return this.#indexes.length
  }

  /** First group of a level; level 0 is the whole report. For the level after the last: the number of groups. */
  levelStart(level: number): Group {
    return this.#levels[level] ?? this.size
  }

  /** First group within a group, or the number that it would have. */
  firstWithin(group: Group): Group {
    return group === root ? this.levelStart(1) : (this.#ends[group - 1] ?? this.size)
  }

  /** Shown groups of the next level within a group, in the order of the response. */
  childrenOf(group: Group, isShown: (child: Group) => boolean): readonly Group[] {
    const children: Group[] = []
    const end = this.firstWithin(group + 1)
    for (let child = this.firstWithin(group); child < end; child++) if (isShown(child)) children.push(child)
    return children
  }

  /** Distinct members of the shown groups of a level, in order. */
  membersAt(level: number, isShown: (group: Group) => boolean): readonly GroupMember[] {
    const found = new Uint8Array(this.#members.length)
    const end = this.levelStart(level + 1)
    for (let group = this.levelStart(level); group < end; group++)
      if (isShown(group)) found[this.#indexes[group] ?? 0] = 1
    const members: GroupMember[] = []
    for (const [index, member] of this.#members.entries()) if (member && found[index] === 1) members.push(member)
    return members
  }

  /** Member of a group. Throws for the whole report, which has none. */
  memberOf(group: Group): GroupMember {
    const member = this.#members[this.#indexes[group] ?? -1]
    if (!member) throw new Error('invariant: a group has a member')
    return member
  }

  /**
   * Adds a level. Each entry is in a group of the last level (`above`) and belongs to a member (`positions`: indexes
   * in `members`). Returns the group of each entry on the new level.
   */
  addLevel(above: Int32Array, positions: Int32Array, members: readonly (GroupMember | undefined)[]): Int32Array {
    const start = this.#levels.at(-1) ?? root
    const first = this.size
    const { numbers, counts } = numberWithin(above, start, positions, {
      groups: first - start,
      members: members.length,
    })
    const ends = continued(this.#ends, counts, first)
    const size = ends.at(-1) ?? first
    const indexes = new Int32Array(size)
    indexes.set(this.#indexes)
    const offset = this.#members.length
    for (let i = 0; i < numbers.length; i++) {
      const group = (above[i] === root ? first : (ends[(above[i] ?? 0) - 1] ?? 0)) + (numbers[i] ?? 0)
      numbers[i] = group
      indexes[group] = offset + (positions[i] ?? 0)
    }
    this.#ends = ends
    this.#indexes = indexes
    this.#members = [...this.#members, ...members]
    this.#levels.push(first)
    return numbers
  }
}

/**
 * `counts`: number of members of each group. `numbers`: by entry, the number of its member within its group, from 0. `start`: the first
 * group.
 */
function numberWithin(
  above: Int32Array,
  start: Group,
  positions: Int32Array,
  sizes: { readonly groups: number; readonly members: number },
) {
  const numbers = new Int32Array(positions.length)
  const counts = new Int32Array(sizes.groups)
  const last = new Int32Array(sizes.groups).fill(-1)
  const order = inOrder(positions, sizes.members)
  for (let at = 0; at < order.length; at++) {
    const i = order[at] ?? 0
    const group = (above[i] ?? start) - start
    const position = positions[i] ?? 0
    if (last[group] !== position) {
      last[group] = position
      counts[group] = (counts[group] ?? 0) + 1
    }
    numbers[i] = (counts[group] ?? 0) - 1
  }
  return { numbers, counts }
}

/** Indexes in the order of the positions, which are below `members`: a counting sort. */
export function inOrder(positions: Int32Array, members: number): Int32Array {
  const next = new Int32Array(members + 1)
  for (let i = 0; i < positions.length; i++) {
    const after = (positions[i] ?? 0) + 1
    next[after] = (next[after] ?? 0) + 1
  }
  for (let position = 1; position < members; position++)
    next[position] = (next[position] ?? 0) + (next[position - 1] ?? 0)
  const order = new Int32Array(positions.length)
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] ?? 0
    const at = next[position] ?? 0
    order[at] = i
    next[position] = at + 1
  }
  return order
}

/** Appends the ends of a level, from the number of groups within each group and the first of them. */
function continued(ends: Int32Array, counts: Int32Array, first: Group): Int32Array<ArrayBuffer> {
  const all = new Int32Array(ends.length + counts.length)
  all.set(ends)
  let end = first
  for (let i = 0; i < counts.length; i++) all[ends.length + i] = end += counts[i] ?? 0
  return all
}
