import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { CompanyRef } from '../../../schema/refs.ts'

/** Hours that are remembered, over all companies: reports mostly end in the same few. */
const most = 64

/** Remembers what was seen of one hour of a company. */
export interface WrittenHour {
  /** Refs of machines that have a document of it; add to it what is seen. */
  readonly machines: Set<number>
  /** The company's machines when all of them that have time in the hour were seen to have a document; null: not yet. */
  wholeFor: readonly MachineRecord[] | null
}

/** Machines whose document of an hour was seen in the store: it never goes away again, so that most reports needn't look. */
export class WrittenHours {
  readonly #hours = new Map<string, WrittenHour>()

  of(companyRef: CompanyRef, slotMs: number): WrittenHour {
    const key = `${companyRef}/${slotMs}`
    const hour = this.#hours.get(key) ?? { machines: new Set(), wholeFor: null }
    this.#hours.delete(key)
    this.#hours.set(key, hour)
    const [oldest] = this.#hours.keys()
    if (this.#hours.size > most && oldest !== undefined) this.#hours.delete(oldest)
    return hour
  }
}
