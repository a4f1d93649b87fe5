import * as t from '../types.ts'

export const rejectBehavior = t.named('RejectBehavior', t.oneOf(['nonconform', 'scrap']))
export type RejectBehavior = t.Infer<typeof rejectBehavior>
const typeBehavior = t.named('TypeRejectBehavior', t.oneOf(['operator', 'scrap', 'nonconform']))

export const partAdjustmentType = t.object({
  id: t.intId,
  companyId: t.text,
  name: t.name,
  color: t.color,
  correction: t.bool,
  scrap: t.bool,
  rejectBehavior: typeBehavior,
  hidden: t.bool,
})
export type PartAdjustmentTypeRecord = t.Infer<typeof partAdjustmentType>

/** Response for a part adjustment type; its fields have the names of the GraphQL API. */
export const partAdjustmentTypeResponse = t.named(
  'PartAdjustmentType',
  t.object({
    id: t.intId,
    company_id: t.uuid,
    name: t.name,
    color: t.color,
    correction: t.bool,
    scrap: t.bool,
    reject_behavior: typeBehavior,
    hidden: t.bool,
  }),
)
export const partAdjustmentTypeList = t.namedList(partAdjustmentTypeResponse)
export type PartAdjustmentTypeResponse = t.Infer<typeof partAdjustmentTypeResponse>

const fields = {
  name: t.name,
  color: t.withDefault(t.color, '#808080'),
  correction: t.withDefault(t.bool, false),
  scrap: t.withDefault(t.described(t.nullable(t.bool), 'Default: true unless the type is a correction'), null),
  reject_behavior: t.withDefault(
    t.described(typeBehavior, '`operator`: the behavior of each adjustment applies'),
    'operator',
  ),
  hidden: t.withDefault(t.bool, false),
}

/** Request body for a part adjustment type. */
export const partAdjustmentTypeInput = t.named(
  'PartAdjustmentTypeInput',
  t.withExamples(t.inputSchema(fields, {}), { name: 'Burr', reject_behavior: 'scrap' }),
)
