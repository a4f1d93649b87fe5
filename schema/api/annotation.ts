import type { AnnotationRecord } from '../records.ts'
import { instant, int, looseInstant, nullable, object, partial, schema, text, uuid } from './json-schema.ts'

export type AnnotationAnswer = Omit<AnnotationRecord, 'companyId'>

export const annotation = schema<AnnotationAnswer>(
  object({ id: uuid, machineId: uuid, reasonId: int, startAt: instant, endAt: nullable(instant), note: text }),
)

/** Body of `POST /annotations` and `PUT /annotations/:id`. */
export const annotationInput = {
  ...partial({
    machineId: uuid,
    reasonId: int,
    startAt: looseInstant,
    endAt: { ...nullable(looseInstant), description: 'Left out or null: still going on' },
    note: nullable({ type: 'string', maxLength: 4000 }),
  }),
  required: ['machineId', 'reasonId', 'startAt'],
}
