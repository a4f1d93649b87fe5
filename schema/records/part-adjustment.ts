import { exampleIds } from '../example-ids.ts'
import * as t from '../types.ts'
import { partAdjustmentTypeResponse, rejectBehavior } from './part-adjustment-type.ts'

export const partAdjustment = t.object({
  id: t.uuid,
  companyId: t.text,
  machineId: t.uuid,
  adjustmentTime: t.instant,
  /** null: uncategorized. */
  categoryId: t.nullable(t.int32Number),
  message: t.longText,
  scrapCount: t.int32Number,
  count: t.int32Number,
  /** As requested; the adjustment type's behavior may override it. */
  rejectBehavior: t.nullable(rejectBehavior),
})
export type PartAdjustmentRecord = t.Infer<typeof partAdjustment>

/** Response for a part adjustment; its fields have the names of the GraphQL API. */
export const partAdjustmentResponse = t.named(
  'PartAdjustment',
  t.object(
    {
      id: t.uuid,
      machine_id: t.uuid,
      adjustmenttime: t.instant,
      category_id: t.nullable(t.int32Number),
      message: t.longText,
      scrapcount: t.int32Number,
      count: t.int32Number,
      reject_behavior: t.described(
        rejectBehavior,
        'The behavior that applies: that of the type unless it is `operator`',
      ),
      type: t.described(t.nullable(partAdjustmentTypeResponse), 'The type, if it is of the requested kind'),
    },
    ['type'],
  ),
)
export const partAdjustmentList = t.namedList(partAdjustmentResponse)
export type PartAdjustmentResponse = t.Infer<typeof partAdjustmentResponse>

const fields = {
  machine_id: t.uuid,
  adjustmenttime: t.described(t.nullable(t.looseInstant), 'UTC unless it has an offset'),
  category_id: t.described(t.nullable(t.int32Number), 'Id of a part adjustment type'),
  message: t.nullable(t.longText),
  scrapcount: t.described(t.int32Number, 'Number of rejected parts to add'),
  count: t.described(t.int32Number, 'Parts to add to those that the machine reported; may be negative'),
  reject_behavior: t.described(t.nullable(rejectBehavior), 'Ignored unless the behavior of the type is `operator`'),
}

/** Request body to create a part adjustment. */
export const partAdjustmentInput = t.named(
  'PartAdjustmentInput',
  t.withExamples(
    t.object({ ...fields, scrapcount: t.nullable(fields.scrapcount), count: t.nullable(fields.count) }, [
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
export const partAdjustmentChange = t.named(
  'PartAdjustmentChange',
  t.object({ ...fields, machine_id: t.nullable(t.uuid) }, [
    'machine_id',
    'adjustmenttime',
    'category_id',
    'message',
    'reject_behavior',
  ]),
)

export type PartAdjustmentChange = t.Infer<typeof partAdjustmentChange>

/** Body of `PUT /part-adjustment/:id`: the change, or an array with one change. */
export const partAdjustmentUpdate = t.named(
  'PartAdjustmentUpdate',
  t.unsafe<PartAdjustmentChange | readonly [PartAdjustmentChange]>({
    anyOf: [t.jsonOf(partAdjustmentChange), t.jsonOf(t.list(partAdjustmentChange, { minItems: 1, maxItems: 1 }))],
    examples: [{ count: -4, scrapcount: 4 }],
  }),
)
