import {
  bool,
  color,
  described,
  inputOf,
  intId,
  name,
  named,
  namedList,
  nullable,
  object,
  type Of,
  oneOf,
  text,
  uuid,
  withDefault,
  withExamples,
} from '../types.ts'

export const rejectBehavior = named('RejectBehavior', oneOf(['nonconform', 'scrap']))
export type RejectBehavior = Of<typeof rejectBehavior>
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
export type PartAdjustmentTypeRecord = Of<typeof partAdjustmentType>

/** Response for a part adjustment type, in the field names of the interface. */
export const partAdjustmentTypeAnswer = named(
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
export const partAdjustmentTypeList = namedList(partAdjustmentTypeAnswer)
export type PartAdjustmentTypeAnswer = Of<typeof partAdjustmentTypeAnswer>

const fields = {
  name,
  color: withDefault(color, '#808080'),
  correction: withDefault(bool, false),
  scrap: withDefault(described(nullable(bool), 'Default: true unless the type is a correction'), null),
  reject_behavior: withDefault(described(typeBehavior, '`operator`: as each adjustment says'), 'operator'),
  hidden: withDefault(bool, false),
}

/** A part adjustment type as a caller sends it. */
export const partAdjustmentTypeInput = named(
  'PartAdjustmentTypeInput',
  withExamples(inputOf(fields, {}), { name: 'Burr', reject_behavior: 'scrap' }),
)
