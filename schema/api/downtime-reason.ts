import type { DowntimeReasonRecord } from '../records.ts'
import { bool, int, name, nullable, object, partial, schema, text } from './json-schema.ts'

export type DowntimeReasonAnswer = Omit<DowntimeReasonRecord, 'companyId'>

export const downtimeReason = schema<DowntimeReasonAnswer>(
  object({ id: int, name: text, color: text, planned: bool, hidden: bool }),
)

/** As CSS writes it. */
export const color = { type: 'string', maxLength: 40, description: 'A CSS colour, e.g. #ff8800' } as const

/** Body of `POST /downtime-reasons` and `PUT /downtime-reasons/:id`. */
export const downtimeReasonInput = {
  ...partial({ name, color: nullable(color), planned: nullable(bool), hidden: nullable(bool) }),
  required: ['name'],
  examples: [{ name: 'Tool change', color: '#ff8800', planned: true }],
}
