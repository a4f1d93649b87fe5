import type { Member } from '../member.ts'

/** A group by its number. */
export type Group = number

/** The whole report. */
export const root: Group = 0

const none = 0

/**
 * The groups of a report, each within one of the level above, as numbers in arrays: there are up to millions of them, and none is
 * an object. A group's number is above that of the group that it lies in.
 */
export class GroupTree {
  #size = 1
  readonly #members: (Member | null)[] = [null]
  #parents = new Int32Array(1024)
  #firstChildren = new Int32Array(1024)
  #nextSiblings = new Int32Array(1024)
  /** A hash table with open addressing: the groups by parent and member. */
  #slots = new Int32Array(4096)

  /** How many there are, the whole report included. */
  get size(): number {
    return this.#size
  }

  parentOf(group: Group): Group {
    return this.#parents[group] ?? root
  }

  /** What it stands for. The whole report stands for nothing: an error. */
  memberOf(group: Group): Member {
    const member = this.#members[group]
    if (!member) throw new Error('invariant: a group stands for a member')
    return member
  }

  /** The groups of the next level within it, in no order. */
  childrenOf(group: Group): Group[] {
    const children: Group[] = []
    let child = this.#firstChildren[group] ?? none
    while (child !== none) {
      children.push(child)
      child = this.#nextSiblings[child] ?? none
    }
    return children
  }

  /** The member's group within another; made where there is none. */
  within(parent: Group, member: Member): Group {
    const mask = this.#slots.length - 1
    for (let slot = hash(parent, member.index) & mask; ; slot = (slot + 1) & mask) {
      const group = this.#slots[slot] ?? none
      if (group === none) return this.#add(parent, member, slot)
      if (this.#parents[group] === parent && this.#members[group] === member) return group
    }
  }

  #add(parent: Group, member: Member, slot: number): Group {
    const group = this.#size++
    if (group === this.#parents.length) this.#grow()
    this.#members.push(member)
    this.#parents[group] = parent
    this.#nextSiblings[group] = this.#firstChildren[parent] ?? none
    this.#firstChildren[parent] = group
    this.#slots[slot] = group
    if (2 * this.#size > this.#slots.length) this.#rehash()
    return group
  }

  #grow(): void {
    this.#parents = doubled(this.#parents)
    this.#firstChildren = doubled(this.#firstChildren)
    this.#nextSiblings = doubled(this.#nextSiblings)
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length)
    const mask = slots.length - 1
    for (let group = 1; group < this.#size; group++) {
      let slot = hash(this.parentOf(group), this.memberOf(group).index) & mask
      while (slots[slot] !== none) slot = (slot + 1) & mask
      slots[slot] = group
    }
    this.#slots = slots
  }
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length)
  larger.set(array)
  return larger
}

/** Multiplicative hashing with two odd constants near 2^32 times the golden ratio and its square root. */
function hash(parent: Group, index: number): number {
  const mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(index, 0x85ebca77)
  return mixed ^ (mixed >>> 15)
}
