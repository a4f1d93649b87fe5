import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** Facts about a machine that decoding needs. */
export interface MachineInfo {
  /** `MachineRecord.id` */
  readonly id: string
  /** `MachineRecord.ref` */
  readonly ref: MachineRef
  /** `CompanyRecord.ref` */
  readonly companyRef: CompanyRef
  readonly maxSampleAgeDays: number
  /** Canonical names of the keys that its settings name (`partCountKey`, `cutSignal`). */
  readonly namedKeys: ReadonlySet<string>
  /** Its part counter: a canonical key, or every PART_COUNT if `key` is null. null: no counter counts its parts. */
  readonly counter: { readonly key: string | null } | null
}

/** Finds a machine by its id in lower case; undefined: the machine does not exist. */
export type MachineLookup = (machineId: string) => MachineInfo | undefined
