import {
  described,
  id,
  type Infer,
  inputSchema,
  instant,
  list,
  longText,
  named,
  nullable,
  object,
  text,
  withDefault,
  withExamples,
  without,
} from '../types.ts'
import { alertSubjectFields } from './alert-subject.ts'

/** Subjects and rules of a pause; without any id, all of the company. */
const subjectFields = { ...alertSubjectFields, ruleIds: withDefault(list(id, { maxItems: 5_000 }), []) }
const subject = named('AlertPauseSubject', object(subjectFields))
const subjectInput = named('AlertPauseSubjectInput', inputSchema(subjectFields, {}))

const alertPauseFields = {
  subject,
  startAt: instant,
  endAt: instant,
  note: withDefault(longText, ''),
}

export const alertPause = object({ id, companyId: text, ...alertPauseFields })
export type AlertPauseRecord = Infer<typeof alertPause>

/** Response for a pause. */
export const alertPauseResponse = named('AlertPause', without(alertPause, 'companyId'))

/** Request body for a pause. */
export const alertPauseInput = named(
  'AlertPauseInput',
  withExamples(
    inputSchema(alertPauseFields, { subject: described(nullable(subjectInput), 'By default all of the company') }),
    { startAt: '2026-03-07T14:00:00Z', endAt: '2026-03-07T20:00:00Z', note: 'Maintenance of the compressor' },
  ),
)
