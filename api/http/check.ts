import { checkerOf } from '../../schema/check.ts'
import type { Fault } from '../../schema/errors.ts'
import type { Schema } from '../../schema/types.ts'

/** Faults of a value, and how many others were found. None: the schema lets it through. */
export interface FoundFaults {
  readonly faults: readonly Fault[]
  readonly more: number
}

export type Check = (value: unknown) => FoundFaults

const none: FoundFaults = { faults: [], more: 0 }

/** Checks by the very rules that the registrar's payloads are checked by, so that formats and faults are the same in both places. */
export function checkOf(schema: Schema | undefined): Check {
  if (schema === undefined) return () => none
  const check = checkerOf(schema)
  return value => {
    const checked = check(value)
    return 'value' in checked ? none : checked
  }
}
