import {
  bool,
  color,
  inputSchema,
  intId,
  name,
  named,
  object,
  type Infer,
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

/** `id`: unique in the installation, used in place of a `ref`. */
export const downtimeReason = object({ id: intId, companyId: text, ...fields })
export type DowntimeReasonRecord = Infer<typeof downtimeReason>

/** Response for a downtime reason. */
export const downtimeReasonResponse = named('DowntimeReason', without(downtimeReason, 'companyId'))
export type DowntimeReasonResponse = Infer<typeof downtimeReasonResponse>

/** Request body for a downtime reason. */
export const downtimeReasonInput = named(
  'DowntimeReasonInput',
  withExamples(inputSchema(fields, {}), {
    name: 'Tool change',
    color: '#ff8800',
    planned: true,
  }),
)
