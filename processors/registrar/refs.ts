import type { Change, ScheduleRecord, ShiftTimes } from '../../schema/records.ts'

/** Kinds of ints that the registrar gives out; each kind counts for itself. */
export const refKinds = [
  'company',
  'machine',
  'shift',
  'machineGroup',
  'operator',
  'jobOperation',
  'jobRun',
  'told',
  'fence',
  'downtimeReason',
  'partAdjustmentType',
] as const
export type RefKind = (typeof refKinds)[number]

/** The highest int ever given out per kind, deleted records' too: folded from the changes. */
export class Refs {
  readonly #highest = new Map<RefKind, number>()
  /** Which company an int id that callers may choose was first given to. */
  readonly #givenTo = new Map<string, string>()

  fold(change: Change): void {
    const { kind, after } = change
    if (!after) return
    switch (kind) {
      case 'company':
      case 'machine':
      case 'machineGroup':
      case 'operator':
      case 'jobOperation':
        this.#raise(kind, after.ref)
        break
      case 'jobRun':
        this.#raise('jobRun', after.ref)
        this.#raise('told', after.told)
        break
      case 'schedule':
        for (const { ref } of shiftsOf(after)) this.#raise('shift', ref)
        break
      case 'downtimeReason':
      case 'partAdjustmentType':
        this.#raise(kind, after.id)
        this.#givenTo.set(`${kind} ${after.id}`, after.companyId)
        break
      case 'claim':
        this.#raise('fence', after.fence)
        break
      case 'installation':
        for (const refKind of refKinds) this.#raise(refKind, after.highestRefs[refKind] ?? 0)
        break
      case 'key':
      case 'user':
      case 'session':
      case 'operatorRun':
      case 'annotation':
      case 'partAdjustment':
      case 'rebuild':
        break
    }
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

  /** The company that ever had this int id; null: nobody. */
  ownerOf(kind: 'downtimeReason' | 'partAdjustmentType', id: number): string | null {
    return this.#givenTo.get(`${kind} ${id}`) ?? null
  }

  #raise(kind: RefKind, ref: number): void {
    if (ref > (this.#highest.get(kind) ?? 0)) this.#highest.set(kind, ref)
  }
}

/** Every shift that a schedule names, in order. */
export function shiftsOf({ versions, exceptions }: ScheduleRecord): readonly ShiftTimes[] {
  return [...versions, ...exceptions].flatMap(({ shifts }): readonly ShiftTimes[] => shifts)
}
