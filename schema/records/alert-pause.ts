import * as t from '../types.ts'
import { alertSubjectFields } from './alert-subject.ts'

/** Subjects and rules of a pause; without any id, all of the company. */
const subjectFields = { ...alertSubjectFields, ruleIds: t.withDefault(t.list(t.id, { maxItems: 5_000 }), []) }
const subject = t.named('AlertPauseSubject', t.object(subjectFields))
const subjectInput = t.named('AlertPauseSubjectInput', t.inputSchema(subjectFields, {}))

const alertPauseFields = {
  subject,
  startAt: t.instant,
  endAt: t.instant,
  note: t.withDefault(t.longText, ''),
}

export const alertPause = t.object({ id: t.id, companyId: t.text, ...alertPauseFields })
export type AlertPauseRecord = t.Infer<typeof alertPause>

/** Response for a pause. */
export const alertPauseResponse = t.named('AlertPause', t.without(alertPause, 'companyId'))

/** Request body for a pause. */
export const alertPauseInput = t.named(
  'AlertPauseInput',
  t.withExamples(
    t.inputSchema(alertPauseFields, {
      subject: t.described(t.nullable(subjectInput), 'By default all of the company'),
    }),
    { startAt: '2026-03-07T14:00:00Z', endAt: '2026-03-07T20:00:00Z', note: 'Maintenance of the compressor' },
  ),
)
