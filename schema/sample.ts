import type { MachineRef } from './refs.ts'

/** MTConnect data item categories. */
export type Category = 'SAMPLE' | 'EVENT' | 'CONDITION'

/**
 * One observation after decoding: validated and normalised. Fields that a sender omitted are ''. `type`, `subtype`,
 * `category` and condition levels are canonical (upper case, words joined by `_`); `key` is unchanged (compare keys by
 * `canonicalName`).
 */
export interface Sample {
  /** `MachineRecord.ref` of the machine, unique in the installation. */
  readonly machineRef: MachineRef
  /** Machine time in microseconds since 1970 (a safe integer until the year 2255). The millisecond is `Math.floor(atUs / 1000)`. */
  readonly atUs: number
  readonly key: string
  readonly type: string
  readonly subtype: string
  readonly category: Category
  /** Value as sent; a JSON number in JavaScript's notation. `UNAVAILABLE` is always upper case. */
  readonly value: string
  readonly nativeCode: string
  readonly nativeSeverity: string
  readonly qualifier: string
  readonly message: string
  /** Instance id and sequence number of the sender; both are set, or both are null. */
  readonly instanceId: number | null
  readonly sequence: number | null
}

/** Values of the fields that senders usually omit. */
export const omittedFields = {
  nativeCode: '',
  nativeSeverity: '',
  qualifier: '',
  message: '',
  instanceId: null,
  sequence: null,
} as const satisfies Partial<Sample>

/** Returns a map key that is unique for each metric of each machine. */
export function metricName({
  machineRef,
  key,
  type,
  subtype,
}: Pick<Sample, 'machineRef' | 'key' | 'type' | 'subtype'>): string {
  return JSON.stringify([machineRef, key, type, subtype])
}

/**
 * First and last sample of one machine within one UTC minute. Gaps of 60 s and more between samples can be computed
 * exactly from these minutes.
 */
export interface ActivityMinute {
  readonly machineRef: MachineRef
  readonly firstMs: number
  readonly lastMs: number
}

/**
 * Returns the form in which types and keys are compared, without case, `_` and spaces: `PartCount`, `PART_COUNT` and
 * `part count` become `PARTCOUNT`.
 */
export function canonicalName(text: string): string {
  return text.replace(/[_\s]/g, '').toUpperCase()
}
