import { Type } from 'typebox'
import { type Status, statuses } from '../document.ts'
import { bool, id, intId, list, longText, named, object, oneOf, unsafe } from '../types.ts'

/** Checks of the installation: `lag` in s, `disk` in percent, `deadLetters` in 10 minutes have a threshold `above`. */
export const systemChecks = ['lag', 'disk', 'deadLetters', 'store', 'log'] as const
export type SystemCheck = (typeof systemChecks)[number]

export const alarmStates = ['WARNING', 'FAULT'] as const
export type AlarmState = (typeof alarmStates)[number]

/** Id of a downtime reason, or time without one. */
export type StopReason = number | 'setup' | 'uncategorized'

export interface StopCondition {
  /** Empty: any reason. */
  readonly stop: { readonly reasons: readonly StopReason[] }
}
export interface StatusCondition {
  readonly status: readonly Status[]
}
export interface SilentCondition {
  readonly silent: true
}
export interface AlarmCondition {
  /** Empty lists and an empty text match every alarm. */
  readonly alarm: {
    readonly nativeCodes: readonly string[]
    readonly states: readonly AlarmState[]
    /** Part of the message, in any letter case. */
    readonly text: string
  }
}
export interface CallCondition {
  /** Ids of kinds of calls; empty: any. */
  readonly call: readonly string[]
}
export interface ConnectorCondition {
  readonly connector: 'disconnected'
}
export interface SystemCondition {
  readonly system: SystemCheck
  /** Threshold; only for checks that have one. */
  readonly above?: number
}

/** Conditions that the documents of a machine decide. */
export type MachineCondition = StopCondition | StatusCondition | SilentCondition | AlarmCondition
export type AlertCondition = MachineCondition | CallCondition | ConnectorCondition | SystemCondition

/** Kinds of conditions; a condition has exactly one of these fields. */
export const alertKinds = ['stop', 'status', 'silent', 'alarm', 'call', 'connector', 'system'] as const
export type AlertKind = (typeof alertKinds)[number]
export const alertKind = named('AlertKind', oneOf(alertKinds))

const unlimited = Type.Number({ minimum: 0, maximum: 1e9 })
export const stopReasonSchema = unsafe<StopReason>({
  anyOf: [intId, named('StopWithoutReason', oneOf(['setup', 'uncategorized']))],
})

const stopFields = { reasons: list(stopReasonSchema, { maxItems: 1_000 }) }
export const alarmStateSchema = named('AlertAlarmState', oneOf(alarmStates))
const alarmFields = {
  nativeCodes: list(longText, { maxItems: 1_000 }),
  states: list(alarmStateSchema, { maxItems: 2 }),
  text: Type.String({ maxLength: 200 }),
}
const stops = named('AlertStops', object(stopFields))
const alarms = named('AlertAlarms', object(alarmFields))
export const statusSchema = named('AlertStatus', oneOf(statuses))
const disconnected = named('AlertConnectorState', oneOf(['disconnected']))
export const systemCheckSchema = named('AlertSystemCheck', oneOf(systemChecks))

const forms = {
  stop: named('StopCondition', object({ stop: stops })),
  status: named('StatusCondition', object({ status: list(statusSchema, { minItems: 1, maxItems: 4 }) })),
  silent: named('SilentCondition', object({ silent: unsafe<true>({ ...bool, const: true }) })),
  alarm: named('AlarmCondition', object({ alarm: alarms })),
  call: named('CallCondition', object({ call: list(id, { maxItems: 100 }) })),
  connector: named('ConnectorCondition', object({ connector: disconnected })),
  system: named('SystemCondition', object({ system: systemCheckSchema, above: unlimited }, ['above'])),
}

/** Schema of a condition: exactly one form. */
export const alertCondition = named('AlertCondition', unsafe<AlertCondition>({ oneOf: Object.values(forms) }))

/** Returns the kind of a valid condition. */
export function kindOf(condition: AlertCondition): AlertKind {
  const found = alertKinds.find(kind => kind in condition)
  if (found === undefined) throw new Error('Invariant: a condition has one of the kinds')
  return found
}
