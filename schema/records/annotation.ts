import { exampleIds } from '../example-ids.ts'
import {
  bool,
  described,
  inputOf,
  instant,
  intId,
  longText,
  named,
  namedList,
  nullable,
  object,
  type Of,
  text,
  uuid,
  withDefault,
  withExamples,
  without,
} from '../types.ts'

const fields = {
  machineId: uuid,
  reasonId: intId,
  startAt: instant,
  endAt: withDefault(described(nullable(instant), 'Left out or null: still going on'), null),
  note: withDefault(longText, ''),
}

/** A stop that runs is given its reason without an end: the service ends the annotation with the stop. */
const endsWithStop = described(
  bool,
  'true: the reason of a stop that still runs. The annotation ends when the stop does, at the latest at `endAt`',
)

export const annotation = object({ id: uuid, companyId: text, ...fields, endsWithStop }, ['endsWithStop'])
export type AnnotationRecord = Of<typeof annotation>

/** Response for an annotation. */
export const annotationAnswer = named('Annotation', without(annotation, 'companyId'))
export const annotationList = namedList(annotationAnswer)
export type AnnotationAnswer = Of<typeof annotationAnswer>

/** An annotation as a caller sends it. */
export const annotationInput = named(
  'AnnotationInput',
  withExamples(inputOf(fields, {}), {
    machineId: exampleIds.machine,
    reasonId: exampleIds.downtimeReason,
    startAt: '2026-03-02T08:15:00.000Z',
    endAt: '2026-03-02T08:40:00.000Z',
    note: 'Insert broke',
  }),
)
