import { type Change, changeBetween } from '../../../schema/records/record-kinds.ts'
import type { ScheduleRecord, ShiftTimes } from '../../../schema/records/schedule.ts'

/** Kinds of integers that the registrar assigns; each kind has its own sequence. */
export const refKinds = [
  'company',
  'machine',
  'shift',
  'machineGroup',
  'operator',
  'jobOperation',
  'jobRun',
  'startSequence',
  'fence',
  'downtimeReason',
  'partAdjustmentType',
] as const
export type RefKind = (typeof refKinds)[number]

/**
 * Kinds of integer ids that callers see and may choose. Each company has its own sequence, so that a company cannot
 * infer the activity of another one.
 */
export type CompanyRefKind = 'downtimeReason' | 'partAdjustmentType'

/** The highest integer ever assigned per kind, also to deleted records; derived from the changes of records. */
export class Refs {
  readonly #highest = new Map<RefKind, number>()
  /** The highest id ever assigned, by kind and company. */
  readonly #highestOfCompany = new Map<string, number>()
  /** Every id ever assigned, by kind and company. */
  readonly #assigned = new Set<string>()

  apply(change: Change): void {
    const { kind, after } = change
    if (!after) return
    if ('ref' in after && isRefKind(kind)) this.#raise(kind, after.ref)
    if (kind === 'jobRun') this.#raise('startSequence', after.startSequence)
    if (kind === 'schedule') for (const { ref } of shiftsOf(after)) this.#raise('shift', ref)
    if (kind === 'claim') this.#raise('fence', after.fence)
    if (kind === 'downtimeReason' || kind === 'partAdjustmentType')
      this.#raiseOfCompany(kind, after.companyId, after.id)
    if (kind === 'installation') this.restoreHighest(after.highestRefs)
  }

  /** Counts a record that was read from the store; a deleted one in its last state. */
  restore({ kind, id, before, after }: Change): void {
    this.apply(changeBetween(kind, id, null, after ?? before))
  }

  /** Counts integers up to these, by kind, as assigned. */
  restoreHighest(highestRefs: Readonly<Record<string, number>>): void {
    for (const kind of refKinds) this.#raise(kind, highestRefs[kind] ?? 0)
  }

  /** Returns the highest integers ever assigned, by kind. */
  highest(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#highest)
  }

  /**
   * Returns the function that allocates integers for one command: ascending, and never assigned before. Allocating
   * changes nothing here; `apply` does.
   */
  createAllocator(): (kind: RefKind) => number {
    const drawn = new Map<RefKind, number>()
    return kind => {
      const next = (drawn.get(kind) ?? this.#highest.get(kind) ?? 0) + 1
      drawn.set(kind, next)
      return next
    }
  }

  /** Returns the next id of the kind in a company: one more than the highest id ever assigned. */
  nextOfCompany(kind: CompanyRefKind, companyId: string): number {
    // For integers that were assigned before the log was recreated, only the maximum over all companies is known.
    const before = this.#highest.get(kind) ?? 0
    return Math.max(this.#highestOfCompany.get(`${kind} ${companyId}`) ?? 0, before) + 1
  }

  /** Returns whether the id was ever assigned in this company, also to a deleted record. */
  isAssigned(kind: CompanyRefKind, companyId: string, id: number): boolean {
    return this.#assigned.has(`${kind} ${companyId} ${id}`)
  }

  #raiseOfCompany(kind: CompanyRefKind, companyId: string, id: number): void {
    const key = `${kind} ${companyId}`
    this.#highestOfCompany.set(key, Math.max(this.#highestOfCompany.get(key) ?? 0, id))
    this.#assigned.add(`${key} ${id}`)
  }

  #raise(kind: RefKind, ref: number): void {
    if (ref > (this.#highest.get(kind) ?? 0)) this.#highest.set(kind, ref)
  }
}

function isRefKind(kind: string): kind is RefKind {
  return refKinds.some(refKind => refKind === kind)
}

/** Returns all shifts of a schedule's versions and exceptions, in order. */
export function shiftsOf({ versions, exceptions }: ScheduleRecord): readonly ShiftTimes[] {
  return [...versions, ...exceptions].flatMap(({ shifts }): readonly ShiftTimes[] => shifts)
}
