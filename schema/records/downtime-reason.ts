import {
  bool,
  color,
  defaultsOf,
  described,
  id,
  inputSchema,
  intId,
  list,
  name,
  named,
  nullable,
  object,
  type Infer,
  text,
  withDefault,
  withExamples,
} from '../types.ts'

const fields = {
  name,
  color: withDefault(color, '#808080'),
  planned: withDefault(bool, false),
  hidden: withDefault(bool, false),
  group: withDefault(
    described(nullable(name), 'Name of a group of reasons, which screens list under this heading; null: no group'),
    null,
  ),
  machineGroupIds: withDefault(
    described(list(id, { maxItems: 1000 }), 'Machine groups for whose machines screens offer the reason; empty: all'),
    [],
  ),
}

/** Default values of the optional fields of a downtime reason. */
export const defaultDowntimeReason = defaultsOf(fields)

/** `id`: unique in the company, used in place of a `ref`. Records of earlier versions lack the optional fields. */
export const downtimeReason = object({ id: intId, companyId: text, ...fields }, ['group', 'machineGroupIds'])
export type DowntimeReasonRecord = Infer<typeof downtimeReason>

/** Response for a downtime reason. */
export const downtimeReasonResponse = named('DowntimeReason', object({ id: intId, ...fields }))
export type DowntimeReasonResponse = Infer<typeof downtimeReasonResponse>

/** Request body for a downtime reason. */
export const downtimeReasonInput = named(
  'DowntimeReasonInput',
  withExamples(inputSchema(fields, {}), {
    name: 'Tool change',
    color: '#ff8800',
    planned: true,
    group: 'Setup',
  }),
)
