import type { Status } from '../document.ts'

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

/** Conditions that the documents and samples of a machine decide. */
export type MachineCondition = StopCondition | StatusCondition | SilentCondition | AlarmCondition
export type AlertCondition = MachineCondition | CallCondition | ConnectorCondition | SystemCondition

/** Kinds of conditions; a condition has exactly one of these fields. */
export const alertKinds = ['stop', 'status', 'silent', 'alarm', 'call', 'connector', 'system'] as const
export type AlertKind = (typeof alertKinds)[number]

/** Returns the kind of a valid condition. */
export function kindOf(condition: AlertCondition): AlertKind {
  const found = alertKinds.find(kind => kind in condition)
  if (found === undefined) throw new Error('Invariant: a condition has one of the kinds')
  return found
}

/** Whether rules of a kind are evaluated for machines, and can be tried on their past. */
export function isMachineKind(kind: AlertKind): boolean {
  return kind !== 'call' && kind !== 'connector' && kind !== 'system'
}

/** Whether a condition is evaluated for machines. The API opens the incidents of calls. */
export function isMachineCondition(condition: AlertCondition): condition is MachineCondition {
  return isMachineKind(kindOf(condition))
}

/** Limits of rules without `above`, by check; the other checks have none. */
const defaultLimits: Readonly<Partial<Record<SystemCheck, number>>> = { lag: 120, disk: 90, deadLetters: 0 }

/** Returns the value above which a condition on the system holds; null: it holds while something is unavailable. */
export function limitOf({ system, above }: SystemCondition): number | null {
  const byDefault = defaultLimits[system]
  return byDefault === undefined ? null : (above ?? byDefault)
}
