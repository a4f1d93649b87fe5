import type { Change } from '../../../schema/records/record-kinds.ts'
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
 * Kinds of integers that callers see and may choose: each company has its own sequence, so that a company cannot see
 * the activity of another one.
 */
export type CompanyRefKind = 'downtimeReason' | 'partAdjustmentType'

/** The highest int ever given out per kind, deleted records' too: folded from the changes. */
export class Refs {
  readonly #highest = new Map<RefKind, number>()
  /** Per kind and company, the highest id ever given out. */
  readonly #highestOfCompany = new Map<string, number>()
  /** Every id that callers may choose and that was ever given out, by kind and company. */
  readonly #given = new Set<string>()

  fold(change: Change): void {
    const { kind, after } = change
    if (!after) return
    if ('ref' in after && isRefKind(kind)) this.#raise(kind, after.ref)
    if (kind === 'jobRun') this.#raise('startSequence', after.startSequence)
    if (kind === 'schedule') for (const { ref } of shiftsOf(after)) this.#raise('shift', ref)
    if (kind === 'claim') this.#raise('fence', after.fence)
    if (kind === 'downtimeReason' || kind === 'partAdjustmentType')
      this.#raiseOfCompany(kind, after.companyId, after.id)
    if (kind === 'installation') for (const refKind of refKinds) this.#raise(refKind, after.highestRefs[refKind] ?? 0)
  }

  /** The highest ints ever given out, by kind. */
  highest(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#highest)
  }

  /** Draws the ints of one command: rising, never one that was ever given out. Drawing alone changes nothing here. */
  drawer(): (kind: RefKind) => number {
    const drawn = new Map<RefKind, number>()
    return kind => {
      const next = (drawn.get(kind) ?? this.#highest.get(kind) ?? 0) + 1
      drawn.set(kind, next)
      return next
    }
  }

  /** One above every id of the kind that the company ever had. */
  nextOfCompany(kind: CompanyRefKind, companyId: string): number {
    // The integers that were assigned before the log was recreated are known for all companies together.
    const before = this.#highest.get(kind) ?? 0
    return Math.max(this.#highestOfCompany.get(`${kind} ${companyId}`) ?? 0, before) + 1
  }

  /** Whether the company ever had this id. */
  wasGiven(kind: CompanyRefKind, companyId: string, id: number): boolean {
    return this.#given.has(`${kind} ${companyId} ${id}`)
  }

  #raiseOfCompany(kind: CompanyRefKind, companyId: string, id: number): void {
    const key = `${kind} ${companyId}`
    this.#highestOfCompany.set(key, Math.max(this.#highestOfCompany.get(key) ?? 0, id))
    this.#given.add(`${key} ${id}`)
  }

  #raise(kind: RefKind, ref: number): void {
    if (ref > (this.#highest.get(kind) ?? 0)) this.#highest.set(kind, ref)
  }
}

function isRefKind(kind: string): kind is RefKind {
  return refKinds.some(refKind => refKind === kind)
}

/** Every shift that a schedule names, in order. */
export function shiftsOf({ versions, exceptions }: ScheduleRecord): readonly ShiftTimes[] {
  return [...versions, ...exceptions].flatMap(({ shifts }): readonly ShiftTimes[] => shifts)
}
