/** What decoding needs to know of a machine. */
export interface MachineInfo {
  /** `MachineRecord.id` */
  readonly id: string
  /** `MachineRecord.ref` */
  readonly ref: number
  /** `CompanyRecord.ref` */
  readonly company: number
  readonly maxSampleAgeDays: number
  /** Canonical names of the keys that its settings name (`partCountKey`, `cutSignal`). */
  readonly namedKeys: ReadonlySet<string>
}

/** Finds a machine by its id in lower case; undefined: there is none. */
export type MachineLookup = (machineId: string) => MachineInfo | undefined
