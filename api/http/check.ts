import { payloadParser } from '../../processors/registrar/payload.ts'
import { Refusal } from '../../processors/registrar/refusal.ts'
import type { Schema } from '../../schema/api/json-schema.ts'
import type { Fault } from '../../schema/records.ts'

/** Faults of a value, and how many others were found. None: the schema lets it through. */
export interface Found {
  readonly faults: readonly Fault[]
  readonly more: number
}

export type Check = (value: unknown) => Found

const none: Found = { faults: [], more: 0 }

/** Checks by the very rules that the registrar's payloads are checked by, so that formats and faults are the same in both places. */
export function checkOf(schema: Schema<unknown> | undefined): Check {
  if (schema === undefined) return () => none
  const parse = payloadParser({ schema: schema.json })
  return value => {
    try {
      parse(value)
      return none
    } catch (error) {
      if (error instanceof Refusal) return { faults: error.error.errors, more: error.error.more ?? 0 }
      throw error
    }
  }
}
