import { exampleIds } from '../example-ids.ts'
import * as t from '../types.ts'

const fields = {
  machineId: t.uuid,
  reasonId: t.intId,
  startAt: t.instant,
  endAt: t.withDefault(t.described(t.nullable(t.instant), 'null or omitted: ongoing'), null),
  note: t.withDefault(t.longText, ''),
}

/**
 * Set on an annotation that was created during a stop, without an end: the service ends the annotation when the stop
 * ends.
 */
const endsWithStop = t.described(
  t.bool,
  'true: the stop was ongoing when the reason was assigned. The annotation ends when the stop ends, at the latest at `endAt`',
)

export const annotation = t.object({ id: t.uuid, companyId: t.text, ...fields, endsWithStop }, ['endsWithStop'])
export type AnnotationRecord = t.Infer<typeof annotation>

/** Response for an annotation. */
export const annotationResponse = t.named('Annotation', t.without(annotation, 'companyId'))
export const annotationList = t.namedList(annotationResponse)
export type AnnotationResponse = t.Infer<typeof annotationResponse>

/** Request body for an annotation. */
export const annotationInput = t.named(
  'AnnotationInput',
  t.withExamples(t.inputSchema(fields, {}), {
    machineId: exampleIds.machine,
    reasonId: exampleIds.downtimeReason,
    startAt: '2026-03-02T08:15:00.000Z',
    endAt: '2026-03-02T08:40:00.000Z',
    note: 'Insert broke',
  }),
)
