import { exampleIds } from '../example-ids.ts'
import { Type } from 'typebox'
import { pick } from '../../shared/collections/pick.ts'
import { hourMs } from '../../shared/time/units.ts'
import { statuses } from '../document.ts'
import type { SampleIssueCode } from '../topics.ts'
import {
  defaultsOf,
  described,
  id,
  idAndName,
  inputSchema,
  instant,
  int,
  integer,
  list,
  name,
  named,
  namedList,
  nullable,
  number,
  object,
  type Infer,
  oneOf,
  shortText,
  text,
  uuid,
  withDefault,
  withExamples,
  without,
} from '../types.ts'
import { scheduledBy } from './company.ts'
import { machineConnection } from './machine-connection.ts'
import { machineSamplesFields } from './machine-samples.ts'
import { partialThresholds, thresholdsInput } from './thresholds.ts'
import { machineRefSchema } from '../refs.ts'

const leapYearMs = 366 * 24 * hourMs
const amount = Type.Number({ minimum: 0, maximum: 1e9 })

const partCounter = named('PartCounter', oneOf(['counter', 'increment', 'cycle', 'program', 'none']))
export type PartCounter = Infer<typeof partCounter>

/**
 * Settings that determine a machine's state from its samples: a change of one recomputes all documents of the machine.
 */
const stateFields = {
  partCounter: withDefault(partCounter, 'counter'),
  partCountKey: withDefault(nullable(name), null),
  maxPartJump: withDefault(amount, 1000),
  maxResetParts: withDefault(amount, 10),
  /** null: a machine never becomes stale. */
  staleAfterMs: withDefault(nullable(integer(60_000, leapYearMs)), null),
  cutSignal: withDefault(nullable(named('CutSignal', object({ key: name, above: number }))), null),
  spindleAbove: withDefault(amount, 1),
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names of the settings
const stateFieldNames = Object.keys(stateFields) as readonly (keyof typeof stateFields)[]

const fields = {
  name,
  make: withDefault(nullable(shortText), null),
  model: withDefault(nullable(shortText), null),
  erpMachineId: withDefault(nullable(name), null),
  machineGroupIds: withDefault(list(id, { maxItems: 1000 }), []),
  scheduleId: withDefault(nullable(id), null),
  ...stateFields,
  /** null: the company's setting applies. */
  microstopMs: withDefault(nullable(integer(0, hourMs)), null),
  /** null: the company's setting applies. */
  scheduledBy: withDefault(nullable(scheduledBy), null),
  thresholds: withDefault(partialThresholds, {}),
  commissionedAt: withDefault(nullable(instant), null),
  decommissionedAt: withDefault(nullable(instant), null),
}

export const machine = object({ id: uuid, ref: machineRefSchema, companyId: text, ...fields, createdAt: instant })
export type MachineRecord = Infer<typeof machine>

export type StateSettings = Pick<MachineRecord, keyof typeof stateFields>

/** Returns the machine's settings that determine its state from its samples. */
export function stateSettings(machine: StateSettings): StateSettings {
  return pick(machine, stateFieldNames)
}

/** Default settings of a machine. */
export const defaultMachineSettings = defaultsOf(fields)

/** Request body for a machine: omitted and null fields get their defaults. */
export const machineInput = named(
  'MachineInput',
  withExamples(inputSchema(fields, { thresholds: thresholdsInput }), {
    name: 'Lathe 1',
    make: 'Mazak',
    erpMachineId: exampleIds.erpMachine,
    scheduleId: exampleIds.schedule,
  }),
)

/** Response for one machine with all its settings. */
export const machineDetails = named(
  'Machine',
  object({
    id: uuid,
    machineRef: int,
    ...without(machine, 'id', 'ref', 'companyId').properties,
  }),
)
export type MachineDetails = Infer<typeof machineDetails>

const sampleIssueCodes = [
  'clock_ahead',
  'clock_behind',
  'no_execution',
  'sequence_reused',
  'too_many_conditions',
  'too_many_keys',
  'unknown_execution_value',
  'unreadable_counter',
] as const satisfies readonly SampleIssueCode[]

/**
 * Issue of a machine's samples, with the number of affected samples since the processes started. `message` and `key`
 * are those of the last affected sample; `since` and `last` are the times when the issue was first and last detected.
 */
const sampleIssue = named(
  'MachineFault',
  object({
    code: named('MachineFaultCode', oneOf(sampleIssueCodes)),
    message: text,
    key: described(nullable(text), 'Key of the last sample; null: the issue concerns no key'),
    since: instant,
    last: instant,
    count: int,
  }),
)
export type SampleIssueResponse = Infer<typeof sampleIssue>

/** One item of `GET /machines`. */
export const machineListItem = named(
  'MachineListItem',
  object({
    id: uuid,
    name: text,
    machineRef: int,
    make: nullable(text),
    model: nullable(text),
    machineGroups: list(idAndName),
    erpMachineId: nullable(text),
    status: named('MachineStatus', oneOf(statuses)),
    faults: list(sampleIssue, {
      description: 'Issues of its samples within the last day, by code',
    }),
    connection: machineConnection,
    ...machineSamplesFields,
    commissionedAt: nullable(instant),
    decommissionedAt: nullable(instant),
  }),
)
export const machineList = namedList(machineListItem)
export type MachineListItem = Infer<typeof machineListItem>
