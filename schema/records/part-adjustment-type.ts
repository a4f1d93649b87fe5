import {
  bool,
  color,
  described,
  inputSchema,
  intId,
  name,
  named,
  namedList,
  nullable,
  object,
  type Infer,
  oneOf,
  text,
  uuid,
  withDefault,
  withExamples,
} from '../types.ts'

export const rejectBehavior = named('RejectBehavior', oneOf(['nonconform', 'scrap']))
export type RejectBehavior = Infer<typeof rejectBehavior>
const typeBehavior = named('TypeRejectBehavior', oneOf(['operator', 'scrap', 'nonconform']))

export const partAdjustmentType = object({
  id: intId,
  companyId: text,
  name,
  color,
  correction: bool,
  scrap: bool,
  rejectBehavior: typeBehavior,
  hidden: bool,
})
export type PartAdjustmentTypeRecord = Infer<typeof partAdjustmentType>

/** Response for a part adjustment type; its fields have the names of the GraphQL API. */
export const partAdjustmentTypeResponse = named(
  'PartAdjustmentType',
  object({
    id: intId,
    company_id: uuid,
    name,
    color,
    correction: bool,
    scrap: bool,
    reject_behavior: typeBehavior,
    hidden: bool,
  }),
)
export const partAdjustmentTypeList = namedList(partAdjustmentTypeResponse)
export type PartAdjustmentTypeResponse = Infer<typeof partAdjustmentTypeResponse>

const fields = {
  name,
  color: withDefault(color, '#808080'),
  correction: withDefault(bool, false),
  scrap: withDefault(described(nullable(bool), 'Default: true unless the type is a correction'), null),
  reject_behavior: withDefault(
    described(typeBehavior, '`operator`: the behavior of each adjustment applies'),
    'operator',
  ),
  hidden: withDefault(bool, false),
}

/** Request body for a part adjustment type. */
export const partAdjustmentTypeInput = named(
  'PartAdjustmentTypeInput',
  withExamples(inputSchema(fields, {}), { name: 'Burr', reject_behavior: 'scrap' }),
)
