import { statuses, type Status } from '../document.ts'
import type { MachineFaultCode } from '../topics.ts'
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
  /** What of its samples was not taken, or taken with a loss, within the last day; by code. */
  readonly faults: readonly MachineFaultAnswer[]
}

/** Something wrong with a machine's samples, counted since the processes began. */
export interface MachineFaultAnswer {
  readonly code: MachineFaultCode
  /** What was said of the last sample. */
  readonly message: string
  /** When it was met first and last. */
  readonly since: string
  readonly last: string
  /** Samples. */
  readonly count: number
}

const faultCodes = [
  'too_many_keys',
  'too_many_conditions',
  'unknown_execution_value',
] as const satisfies readonly MachineFaultCode[]

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
      faults: list(
        object({
          code: { type: 'string', enum: faultCodes },
          message: text,
          since: instant,
          last: instant,
          count: int,
        }),
        { description: 'What of its samples was not taken, or taken with a loss, within the last day; by code' },
      ),
      commissionedAt: nullable(instant),
      decommissionedAt: nullable(instant),
    }),
  ),
)
