import {
  described,
  inputOf,
  instant,
  intId,
  longText,
  nullable,
  object,
  type Of,
  text,
  uuid,
  withDefault,
  without,
} from '../types.ts'

const fields = {
  machineId: uuid,
  reasonId: intId,
  startAt: instant,
  endAt: withDefault(described(nullable(instant), 'Left out or null: still going on'), null),
  note: withDefault(longText, ''),
}

export const annotation = object({ id: uuid, companyId: text, ...fields })
export type AnnotationRecord = Of<typeof annotation>

/** An annotation as it is answered. */
export const annotationAnswer = without(annotation, 'companyId')
export type AnnotationAnswer = Of<typeof annotationAnswer>

/** An annotation as a caller sends it. */
export const annotationInput = inputOf(fields, {})
