import { statuses, type Status } from '../document.ts'
import type { MachineRecord } from '../records.ts'
import {
  id,
  instant,
  int,
  type JsonSchema,
  list,
  looseInstant,
  name,
  nullable,
  number,
  object,
  optional,
  partial,
  schema,
  text,
  uuid,
} from './json-schema.ts'
import { thresholds } from './settings.ts'
import { hourMs } from '../../shared/time/units.ts'

const leapYearMs = 366 * 24 * hourMs
const shortText = { type: 'string', maxLength: 200 } as const
const amount = { ...number, minimum: 0, maximum: 1e9 } as const

const properties = {
  name,
  make: nullable(shortText),
  model: nullable(shortText),
  erpMachineId: nullable(name),
  machineGroupIds: list(id, { maxItems: 1000 }),
  scheduleId: nullable(id),
  partCounter: { type: 'string', enum: ['counter', 'cycle', 'program', 'none'] },
  partCountKey: nullable(name),
  maxPartJump: amount,
  maxResetParts: amount,
  microstopMs: { ...int, minimum: 0, maximum: hourMs },
  staleAfterMs: nullable({ ...int, minimum: 60_000, maximum: leapYearMs }),
  scheduledBy: nullable({ type: 'string', enum: ['shift', 'job'] }),
  cutSignal: nullable(object({ key: name, above: number })),
  spindleAbove: amount,
  thresholds: partial(thresholds),
} as const satisfies Partial<Record<keyof MachineRecord, JsonSchema>>

/** Body of `PUT /machines/:id`; only `name` is required: what is left out, or null, has its default. */
export const machineInput = {
  ...partial({
    ...optional({ ...properties, thresholds: partial(optional(thresholds)) }),
    name,
    commissionedAt: nullable(looseInstant),
    decommissionedAt: nullable(looseInstant),
  }),
  required: ['name'],
}

/** One machine with all its settings. */
export type MachineDetails = Omit<MachineRecord, 'ref' | 'companyId'> & { readonly machineRef: number }

export const machineDetails = schema<MachineDetails>(
  object({
    id: uuid,
    machineRef: int,
    ...properties,
    commissionedAt: nullable(instant),
    decommissionedAt: nullable(instant),
    createdAt: instant,
  }),
)

/** One item of `GET /machines`. */
export interface MachineListItem extends Pick<
  MachineRecord,
  'id' | 'name' | 'make' | 'model' | 'erpMachineId' | 'commissionedAt' | 'decommissionedAt'
> {
  readonly machineRef: number
  readonly machineGroups: readonly { readonly id: string; readonly name: string }[]
  readonly status: Status
}

export const machineList = schema<readonly MachineListItem[]>(
  list(
    object({
      id: uuid,
      name: text,
      machineRef: int,
      make: nullable(text),
      model: nullable(text),
      machineGroups: list(object({ id: text, name: text })),
      erpMachineId: nullable(text),
      status: { type: 'string', enum: statuses },
      commissionedAt: nullable(instant),
      decommissionedAt: nullable(instant),
    }),
  ),
)
