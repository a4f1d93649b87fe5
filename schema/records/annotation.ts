import { exampleIds } from '../example-ids.ts'
import {
  bool,
  described,
  inputSchema,
  instant,
  intId,
  longText,
  named,
  namedList,
  nullable,
  object,
  type Infer,
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
  endAt: withDefault(described(nullable(instant), 'null or omitted: ongoing'), null),
  note: withDefault(longText, ''),
}

/**
 * Set on an annotation that was created during a stop, without an end: the service ends the annotation when the stop
 * ends.
 */
const endsWithStop = described(
  bool,
  'true: the stop was ongoing when the reason was assigned. The annotation ends when the stop ends, at the latest at `endAt`',
)

export const annotation = object({ id: uuid, companyId: text, ...fields, endsWithStop }, ['endsWithStop'])
export type AnnotationRecord = Infer<typeof annotation>

/** Response for an annotation. */
export const annotationResponse = named('Annotation', without(annotation, 'companyId'))
export const annotationList = namedList(annotationResponse)
export type AnnotationResponse = Infer<typeof annotationResponse>

/** Request body for an annotation. */
export const annotationInput = named(
  'AnnotationInput',
  withExamples(inputSchema(fields, {}), {
    machineId: exampleIds.machine,
    reasonId: exampleIds.downtimeReason,
    startAt: '2026-03-02T08:15:00.000Z',
    endAt: '2026-03-02T08:40:00.000Z',
    note: 'Insert broke',
  }),
)
