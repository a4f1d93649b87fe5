import type { PartAdjustmentTypeRecord, RejectBehavior } from '../records.ts'
import { color } from './downtime-reason.ts'
import {
  bool,
  instant,
  int,
  list,
  looseInstant,
  name,
  nullable,
  object,
  partial,
  schema,
  text,
  uuid,
} from './json-schema.ts'

const behaviors = ['nonconform', 'scrap'] as const satisfies readonly RejectBehavior[]
const behavior = { type: 'string', enum: behaviors } as const
const typeBehavior = { type: 'string', enum: ['operator', 'scrap', 'nonconform'] } as const
const count = { ...int, minimum: -2_147_483_648, maximum: 2_147_483_647 } as const

/** A part adjustment type, in the interface's own field names. */
export interface PartAdjustmentTypeAnswer extends Pick<
  PartAdjustmentTypeRecord,
  'id' | 'name' | 'color' | 'correction' | 'scrap' | 'hidden'
> {
  readonly company_id: string
  readonly reject_behavior: PartAdjustmentTypeRecord['rejectBehavior']
}

export const partAdjustmentType = schema<PartAdjustmentTypeAnswer>(
  object({
    id: int,
    company_id: uuid,
    name: text,
    color: text,
    correction: bool,
    scrap: bool,
    reject_behavior: typeBehavior,
    hidden: bool,
  }),
)

/** Body of `POST /part-adjustment-types` and `PUT /part-adjustment-types/:id`. */
export const partAdjustmentTypeInput = {
  ...partial({
    name,
    color: nullable(color),
    correction: nullable(bool),
    scrap: { ...nullable(bool), description: 'Left out: whether it is no correction' },
    reject_behavior: { ...nullable(typeBehavior), description: '`operator` (default): as each adjustment says' },
    hidden: nullable(bool),
  }),
  required: ['name'],
  examples: [{ name: 'Burr', reject_behavior: 'scrap' }],
}

/** A part adjustment, in the interface's own field names. */
export interface PartAdjustmentAnswer {
  readonly id: string
  readonly machine_id: string
  readonly adjustmenttime: string
  readonly category_id: number | null
  readonly message: string
  readonly scrapcount: number
  readonly count: number
  /** What holds: the type's unless that is left to the operator. */
  readonly reject_behavior: RejectBehavior
  /** Where it was asked for: its type, if that is of the kind asked for. */
  readonly type?: PartAdjustmentTypeAnswer | null
}

export const partAdjustment = schema<PartAdjustmentAnswer>(
  object(
    {
      id: uuid,
      machine_id: uuid,
      adjustmenttime: instant,
      category_id: nullable(int),
      message: text,
      scrapcount: int,
      count: int,
      reject_behavior: behavior,
      type: { anyOf: [partAdjustmentType.json, { type: 'null' }] },
    },
    ['type'],
  ),
)

const inputs = {
  machine_id: uuid,
  adjustmenttime: { ...nullable(looseInstant), description: 'UTC unless it has an offset' },
  category_id: { ...nullable(int), description: 'Id of a part adjustment type' },
  message: nullable({ type: 'string', maxLength: 4000 }),
  scrapcount: { ...count, description: 'Rejects to add' },
  count: { ...count, description: 'Parts to add to (or, negative, take from) those the machine reported' },
  reject_behavior: { ...nullable(behavior), description: 'Ignored where the type says it' },
} as const

/** Body of `POST /part-adjustment`. */
export const partAdjustmentInput = {
  ...partial({ ...inputs, scrapcount: nullable(inputs.scrapcount), count: nullable(inputs.count) }),
  required: ['machine_id'],
}

const update = { ...partial(inputs), required: ['count', 'scrapcount'] }

/** Body of `PUT /part-adjustment/:id`. */
export const partAdjustmentUpdate = { anyOf: [update, list(update, { minItems: 1, maxItems: 1 })] }
