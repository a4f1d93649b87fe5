import { id, type Infer, instant, list, longText, named, object, text, withDefault } from '../types.ts'
import { alertSubjectFields } from './alert-subject.ts'

/** Subjects and rules of a pause; without any id, all of the company. */
const subject = named(
  'AlertPauseSubject',
  object({ ...alertSubjectFields, ruleIds: withDefault(list(id, { maxItems: 5_000 }), []) }),
)

export const alertPauseFields = {
  subject,
  startAt: instant,
  endAt: instant,
  note: withDefault(longText, ''),
}

export const alertPause = object({ id, companyId: text, ...alertPauseFields })
export type AlertPauseRecord = Infer<typeof alertPause>
