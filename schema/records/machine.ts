import { exampleIds } from '../example-ids.ts'
import { Type } from 'typebox'
import { pick } from '../../shared/collections/pick.ts'
import { hourMs } from '../../shared/time/units.ts'
import { statuses } from '../document.ts'
import type { SampleIssueCode } from '../topics.ts'
import * as t from '../types.ts'
import { scheduledBy } from './company.ts'
import { machineConnection } from './machine-connection.ts'
import { machineSamplesFields } from './machine-samples.ts'
import { partialThresholds, thresholdsInput } from './thresholds.ts'
import { machineRefSchema } from '../refs.ts'

const leapYearMs = 366 * 24 * hourMs
const amount = Type.Number({ minimum: 0, maximum: 1e9 })

const partCounter = t.named('PartCounter', t.oneOf(['counter', 'increment', 'cycle', 'program', 'none']))
export type PartCounter = t.Infer<typeof partCounter>

/**
 * Settings that determine a machine's state from its samples: a change of one recomputes all documents of the machine.
 */
const stateFields = {
  partCounter: t.withDefault(partCounter, 'counter'),
  partCountKey: t.withDefault(t.nullable(t.name), null),
  maxPartJump: t.withDefault(amount, 1000),
  maxResetParts: t.withDefault(amount, 10),
  /** null: a machine never becomes stale. */
  staleAfterMs: t.withDefault(t.nullable(t.integer(60_000, leapYearMs)), null),
  cutSignal: t.withDefault(t.nullable(t.named('CutSignal', t.object({ key: t.name, above: t.number }))), null),
  spindleAbove: t.withDefault(amount, 1),
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names of the settings
const stateFieldNames = Object.keys(stateFields) as readonly (keyof typeof stateFields)[]

const fields = {
  name: t.name,
  make: t.withDefault(t.nullable(t.shortText), null),
  model: t.withDefault(t.nullable(t.shortText), null),
  erpMachineId: t.withDefault(t.nullable(t.name), null),
  machineGroupIds: t.withDefault(t.list(t.id, { maxItems: 1000 }), []),
  scheduleId: t.withDefault(t.nullable(t.id), null),
  ...stateFields,
  /** null: the company's setting applies. */
  microstopMs: t.withDefault(t.nullable(t.integer(0, hourMs)), null),
  /** null: the company's setting applies. */
  scheduledBy: t.withDefault(t.nullable(scheduledBy), null),
  thresholds: t.withDefault(partialThresholds, {}),
  commissionedAt: t.withDefault(t.nullable(t.instant), null),
  decommissionedAt: t.withDefault(t.nullable(t.instant), null),
}

export const machine = t.object({
  id: t.uuid,
  ref: machineRefSchema,
  companyId: t.text,
  ...fields,
  createdAt: t.instant,
})
export type MachineRecord = t.Infer<typeof machine>

export type StateSettings = Pick<MachineRecord, keyof typeof stateFields>

/** Returns the machine's settings that determine its state from its samples. */
export function stateSettings(machine: StateSettings): StateSettings {
  return pick(machine, stateFieldNames)
}

/** Default settings of a machine. */
export const defaultMachineSettings = t.defaultsOf(fields)

/** Request body for a machine: omitted and null fields get their defaults. */
export const machineInput = t.named(
  'MachineInput',
  t.withExamples(t.inputSchema(fields, { thresholds: thresholdsInput }), {
    name: 'Lathe 1',
    make: 'Mazak',
    erpMachineId: exampleIds.erpMachine,
    scheduleId: exampleIds.schedule,
  }),
)

/** Response for one machine with all its settings. */
export const machineDetails = t.named(
  'Machine',
  t.object({
    id: t.uuid,
    machineRef: t.int,
    ...t.without(machine, 'id', 'ref', 'companyId').properties,
  }),
)
export type MachineDetails = t.Infer<typeof machineDetails>

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
const sampleIssue = t.named(
  'MachineFault',
  t.object({
    code: t.named('MachineFaultCode', t.oneOf(sampleIssueCodes)),
    message: t.text,
    key: t.described(t.nullable(t.text), 'Key of the last sample; null: the issue concerns no key'),
    since: t.instant,
    last: t.instant,
    count: t.int,
  }),
)
export type SampleIssueResponse = t.Infer<typeof sampleIssue>

/** One item of `GET /machines`. */
export const machineListItem = t.named(
  'MachineListItem',
  t.object({
    id: t.uuid,
    name: t.text,
    machineRef: t.int,
    make: t.nullable(t.text),
    model: t.nullable(t.text),
    machineGroups: t.list(t.idAndName),
    erpMachineId: t.nullable(t.text),
    status: t.named('MachineStatus', t.oneOf(statuses)),
    faults: t.list(sampleIssue, {
      description: 'Issues of its samples within the last day, by code',
    }),
    connection: machineConnection,
    ...machineSamplesFields,
    commissionedAt: t.nullable(t.instant),
    decommissionedAt: t.nullable(t.instant),
  }),
)
export const machineList = t.namedList(machineListItem)
export type MachineListItem = t.Infer<typeof machineListItem>
