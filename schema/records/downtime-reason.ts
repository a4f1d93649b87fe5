import * as t from '../types.ts'

const fields = {
  name: t.name,
  color: t.withDefault(t.color, '#808080'),
  planned: t.withDefault(t.bool, false),
  hidden: t.withDefault(t.bool, false),
  group: t.withDefault(
    t.described(
      t.nullable(t.name),
      'Name of a group of reasons, which screens list under this heading; null: no group',
    ),
    null,
  ),
  machineGroupIds: t.withDefault(
    t.described(
      t.list(t.id, { maxItems: 1000 }),
      'Machine groups for whose machines screens offer the reason; empty: all',
    ),
    [],
  ),
}

/** Default values of the optional fields of a downtime reason. */
export const defaultDowntimeReason = t.defaultsOf(fields)

/** `id`: unique in the company, used in place of a `ref`. Records of earlier versions lack the optional fields. */
export const downtimeReason = t.object({ id: t.intId, companyId: t.text, ...fields }, ['group', 'machineGroupIds'])
export type DowntimeReasonRecord = t.Infer<typeof downtimeReason>

/** Response for a downtime reason. */
export const downtimeReasonResponse = t.named('DowntimeReason', t.object({ id: t.intId, ...fields }))
export type DowntimeReasonResponse = t.Infer<typeof downtimeReasonResponse>

/** Request body for a downtime reason. */
export const downtimeReasonInput = t.named(
  'DowntimeReasonInput',
  t.withExamples(t.inputSchema(fields, {}), {
    name: 'Tool change',
    color: '#ff8800',
    planned: true,
    group: 'Setup',
  }),
)
