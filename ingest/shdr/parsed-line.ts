import type { Category } from '../../schema/sample.ts'
import type { DataItem, Device } from './devices.ts'

/** Value of a data item at a time, as the adapter reported it. */
export interface Observation {
  readonly device: Device
  /** Key of the data item; for a key that the device does not have, the adapter's text. */
  readonly key: string
  /** undefined: the device has no such key. */
  readonly item: DataItem | undefined
  readonly category: Category
  /** The adapter's text without a duration, or the time of receipt. */
  readonly timestamp: string
  /** UTC µs. */
  readonly atUs: number
  readonly value: string
  readonly nativeCode?: string
  readonly nativeSeverity?: string
  readonly qualifier?: string
  readonly message?: string
}

/** Reason why a line, or a part of it, gives no observation or not the one that was sent. */
export type FaultCode =
  | 'not_shdr'
  | 'missing_value'
  | 'invalid_key'
  | 'invalid_data_set'
  | 'data_set_too_long'
  | 'no_device'
  | 'unknown_device'
  | 'line_too_long'
  | 'too_many_values'
  | 'multiline_too_long'
  | 'multiline_without_end'

/** Fault of a line; `detail` names the key or device, if there is one. */
export interface ShdrFault {
  readonly code: FaultCode
  readonly detail: string
}

/** Command of the protocol: `* PONG 10000` has the name `pong`, `* device: Mill` the name `device`. */
export interface ShdrCommand {
  readonly name: string
  readonly value: string
}

/** Content of one line. */
export interface ParsedLine {
  readonly observations: readonly Observation[]
  readonly faults: readonly ShdrFault[]
  readonly command: ShdrCommand | null
}

export const emptyLine: ParsedLine = { observations: [], faults: [], command: null }
