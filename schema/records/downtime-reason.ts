import {
  bool,
  color,
  inputOf,
  intId,
  name,
  named,
  object,
  type Of,
  text,
  withDefault,
  withExamples,
  without,
} from '../types.ts'

const fields = {
  name,
  color: withDefault(color, '#808080'),
  planned: withDefault(bool, false),
  hidden: withDefault(bool, false),
}

/** `id`: unique in the installation; also its ref. */
export const downtimeReason = object({ id: intId, companyId: text, ...fields })
export type DowntimeReasonRecord = Of<typeof downtimeReason>

/** Response for a downtime reason. */
export const downtimeReasonAnswer = named('DowntimeReason', without(downtimeReason, 'companyId'))
export type DowntimeReasonAnswer = Of<typeof downtimeReasonAnswer>

/** A downtime reason as a caller sends it. */
export const downtimeReasonInput = named(
  'DowntimeReasonInput',
  withExamples(inputOf(fields, {}), {
    name: 'Tool change',
    color: '#ff8800',
    planned: true,
  }),
)
