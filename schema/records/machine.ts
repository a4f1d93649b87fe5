import { exampleIds } from '../example-ids.ts'
import { Type } from 'typebox'
import { pick } from '../../shared/collections/pick.ts'
import { hourMs } from '../../shared/time/units.ts'
import { statuses } from '../document.ts'
import type { MachineFaultCode } from '../topics.ts'
import {
  defaultsOf,
  described,
  id,
  idAndName,
  inputOf,
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
  type Of,
  oneOf,
  shortText,
  text,
  uuid,
  withDefault,
  withExamples,
  without,
} from '../types.ts'
import { scheduledBy } from './company.ts'
import { someThresholds, thresholdsInput } from './thresholds.ts'
import { machineRefSchema } from '../refs.ts'

const leapYearMs = 366 * 24 * hourMs
const amount = Type.Number({ minimum: 0, maximum: 1e9 })

const partCounter = named('PartCounter', oneOf(['counter', 'increment', 'cycle', 'program', 'none']))
export type PartCounter = Of<typeof partCounter>

/** Settings that decide what a machine's samples mean: a change of one makes all documents of the machine new. */
const stateFields = {
  partCounter: withDefault(partCounter, 'counter'),
  partCountKey: withDefault(nullable(name), null),
  maxPartJump: withDefault(amount, 1000),
  maxResetParts: withDefault(amount, 10),
  /** null: off. */
  staleAfterMs: withDefault(nullable(integer(60_000, leapYearMs)), null),
  cutSignal: withDefault(nullable(named('CutSignal', object({ key: name, above: number }))), null),
  spindleAbove: withDefault(amount, 1),
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of an object are its names
const stateFieldNames = Object.keys(stateFields) as readonly (keyof typeof stateFields)[]

const fields = {
  name,
  make: withDefault(nullable(shortText), null),
  model: withDefault(nullable(shortText), null),
  erpMachineId: withDefault(nullable(name), null),
  machineGroupIds: withDefault(list(id, { maxItems: 1000 }), []),
  scheduleId: withDefault(nullable(id), null),
  ...stateFields,
  microstopMs: withDefault(integer(0, hourMs), 0),
  /** null: the company's. */
  scheduledBy: withDefault(nullable(scheduledBy), null),
  thresholds: withDefault(someThresholds, {}),
  commissionedAt: withDefault(nullable(instant), null),
  decommissionedAt: withDefault(nullable(instant), null),
}

export const machine = object({ id: uuid, ref: machineRefSchema, companyId: text, ...fields, createdAt: instant })
export type MachineRecord = Of<typeof machine>

export type StateSettings = Pick<MachineRecord, keyof typeof stateFields>

/** The machine's settings that decide its state. */
export function stateSettings(machine: MachineRecord): StateSettings {
  return pick(machine, stateFieldNames)
}

/** Settings of a machine that its record leaves out. */
export const defaultMachineSettings = defaultsOf(fields)

/** A machine as a caller sends it: what is left out, or null, has its default. */
export const machineInput = named(
  'MachineInput',
  withExamples(inputOf(fields, { thresholds: thresholdsInput }), {
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
export type MachineDetails = Of<typeof machineDetails>

const faultCodes = [
  'clock_ahead',
  'clock_behind',
  'no_execution',
  'sequence_reused',
  'too_many_conditions',
  'too_many_keys',
  'unknown_execution_value',
  'unreadable_counter',
] as const satisfies readonly MachineFaultCode[]

/**
 * Something wrong with a machine's samples, counted since the processes began. `message` and `key` are of the last sample; `since` and
 * `last`: when it was met first and last; `count`: samples.
 */
const machineFault = named(
  'MachineFault',
  object({
    code: named('MachineFaultCode', oneOf(faultCodes)),
    message: text,
    key: described(nullable(text), 'Key of the last sample; null: the fault concerns no key'),
    since: instant,
    last: instant,
    count: int,
  }),
)
export type MachineFaultAnswer = Of<typeof machineFault>

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
    faults: list(machineFault, {
      description: 'What was wrong with its samples within the last day, by code',
    }),
    commissionedAt: nullable(instant),
    decommissionedAt: nullable(instant),
  }),
)
export const machineList = namedList(machineListItem)
export type MachineListItem = Of<typeof machineListItem>
