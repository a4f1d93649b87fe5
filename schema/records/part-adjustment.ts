import { exampleIds } from '../example-ids.ts'
import {
  described,
  instant,
  int32Number,
  jsonOf,
  list,
  longText,
  looseInstant,
  named,
  namedList,
  nullable,
  object,
  type Infer,
  text,
  unsafe,
  uuid,
  withExamples,
} from '../types.ts'
import { partAdjustmentTypeResponse, rejectBehavior } from './part-adjustment-type.ts'

export const partAdjustment = object({
  id: uuid,
  companyId: text,
  machineId: uuid,
  adjustmentTime: instant,
  /** null: uncategorized. */
  categoryId: nullable(int32Number),
  message: longText,
  scrapCount: int32Number,
  count: int32Number,
  /** As requested; the adjustment type's behavior may override it. */
  rejectBehavior: nullable(rejectBehavior),
})
export type PartAdjustmentRecord = Infer<typeof partAdjustment>

/** Response for a part adjustment; its fields have the names of the GraphQL API. */
export const partAdjustmentResponse = named(
  'PartAdjustment',
  object(
    {
      id: uuid,
      machine_id: uuid,
      adjustmenttime: instant,
      category_id: nullable(int32Number),
      message: longText,
      scrapcount: int32Number,
      count: int32Number,
      reject_behavior: described(rejectBehavior, 'The behavior that applies: that of the type unless it is `operator`'),
      type: described(nullable(partAdjustmentTypeResponse), 'The type, if it is of the requested kind'),
    },
    ['type'],
  ),
)
export const partAdjustmentList = namedList(partAdjustmentResponse)
export type PartAdjustmentResponse = Infer<typeof partAdjustmentResponse>

const fields = {
  machine_id: uuid,
  adjustmenttime: described(nullable(looseInstant), 'UTC unless it has an offset'),
  category_id: described(nullable(int32Number), 'Id of a part adjustment type'),
  message: nullable(longText),
  scrapcount: described(int32Number, 'Number of rejected parts to add'),
  count: described(int32Number, 'Parts to add to those that the machine reported; may be negative'),
  reject_behavior: described(nullable(rejectBehavior), 'Ignored unless the behavior of the type is `operator`'),
}

/** Request body to create a part adjustment. */
export const partAdjustmentInput = named(
  'PartAdjustmentInput',
  withExamples(
    object({ ...fields, scrapcount: nullable(fields.scrapcount), count: nullable(fields.count) }, [
      'adjustmenttime',
      'category_id',
      'message',
      'scrapcount',
      'count',
      'reject_behavior',
    ]),
    {
      machine_id: exampleIds.machine,
      adjustmenttime: '2026-03-02T09:00:00.000Z',
      category_id: exampleIds.partAdjustmentType,
      message: 'Burr on the edge',
      scrapcount: 5,
      count: -5,
    },
  ),
)

/** Request body to change a part adjustment: omitted fields stay unchanged, `count` and `scrapcount` are required. */
export const partAdjustmentChange = named(
  'PartAdjustmentChange',
  object({ ...fields, machine_id: nullable(uuid) }, [
    'machine_id',
    'adjustmenttime',
    'category_id',
    'message',
    'reject_behavior',
  ]),
)

export type PartAdjustmentChange = Infer<typeof partAdjustmentChange>

/** Body of `PUT /part-adjustment/:id`: the change, or an array with one change. */
export const partAdjustmentUpdate = named(
  'PartAdjustmentUpdate',
  unsafe<PartAdjustmentChange | readonly [PartAdjustmentChange]>({
    anyOf: [jsonOf(partAdjustmentChange), jsonOf(list(partAdjustmentChange, { minItems: 1, maxItems: 1 }))],
    examples: [{ count: -4, scrapcount: 4 }],
  }),
)
