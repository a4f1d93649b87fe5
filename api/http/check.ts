import { payloadParser } from '../../processors/registrar/payload.ts'
import { Refusal } from '../../processors/registrar/refusal.ts'
import type { Schema } from '../../schema/api/json-schema.ts'
import type { Fault } from '../../schema/records.ts'

/** Every fault of a value; empty: the schema lets it through. */
export type Check = (value: unknown) => readonly Fault[]

/** Checks by the very rules that the registrar's payloads are checked by, so that formats and faults are the same in both places. */
export function checkOf(schema: Schema<unknown> | undefined): Check {
  if (schema === undefined) return () => []
  const parse = payloadParser({ schema: schema.json })
  return value => {
    try {
      parse(value)
      return []
    } catch (error) {
      if (error instanceof Refusal) return error.error.errors
      throw error
    }
  }
}
