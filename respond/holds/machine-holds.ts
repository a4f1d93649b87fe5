import { reasonCode } from '../../schema/document.ts'
import type {
  AlarmCondition,
  MachineCondition,
  StatusCondition,
  StopCondition,
  StopReason,
} from '../../schema/records/alert-condition.ts'
import { intersectIntervals, type Interval, joinIntervals } from '../intervals/interval.ts'
import type { AlarmSpan, MachineHistory, StateSpan } from './machine-history.ts'
import { type Activity, silences } from './silence.ts'

/** Inputs of the hold intervals of a machine. */
export interface HoldInputs {
  readonly history: MachineHistory
  /** Times in which the machine sent samples, without heartbeats, in order; for `silent`. */
  readonly activity: readonly Activity[]
  /** Time in which the machine is commissioned. */
  readonly commissioned: Interval
}

/** Returns the maximal intervals in which a condition holds, in order. Documents assume that the last state lasts. */
export function machineHolds(
  condition: MachineCondition,
  { history, activity, commissioned }: HoldInputs,
): readonly Interval[] {
  const holds = 'silent' in condition ? silences(activity) : joinIntervals(matching(condition, history))
  return intersectIntervals(holds, [commissioned])
}

function matching(
  condition: StopCondition | StatusCondition | AlarmCondition,
  { states, alarms }: MachineHistory,
): readonly Interval[] {
  if ('stop' in condition) return states.filter(stopTest(condition))
  if ('status' in condition) return states.filter(({ status }) => condition.status.includes(status))
  return alarms.filter(alarmTest(condition))
}

function stopTest({ stop: { reasons } }: StopCondition): (state: StateSpan) => boolean {
  const codes = new Set(reasons.map(codeOf))
  return ({ reason }) => reason !== null && (codes.size === 0 || codes.has(reason))
}

function codeOf(reason: StopReason): number {
  return typeof reason === 'number' ? reason : reasonCode[reason]
}

/** Returns the test of a condition on alarm instances. */
export function alarmTest({ alarm }: AlarmCondition): (instance: AlarmSpan) => boolean {
  const codes = new Set(alarm.nativeCodes)
  const text = alarm.text.toLowerCase()
  return ({ nativeCode, level, message }) =>
    (codes.size === 0 || codes.has(nativeCode)) &&
    (alarm.states.length === 0 || alarm.states.includes(level)) &&
    (text === '' || message.toLowerCase().includes(text))
}
