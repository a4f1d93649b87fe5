import type { AlarmElement, HourDocument, Segment, Status } from '../../schema/document.ts'
import { firstEndingAfter, type Interval } from '../intervals/interval.ts'

/** Time of a machine in which state, shift and scheduled time are constant. */
export interface StateSpan extends Interval {
  readonly status: Status
  /** Reason of the downtime: the id of a reason or a `reasonCode`; null: not down. */
  readonly reason: number | null
  readonly scheduled: boolean
  /** `ref` of the shift; 0 outside shifts. */
  readonly shift: number
}

/** An alarm instance, UTC ms; `endMs` Infinity: active. */
export interface AlarmSpan extends Interval, Pick<AlarmElement, 'nativeCode' | 'message' | 'level'> {}

/** The parts of a machine's consecutive documents that rules read. */
export interface MachineHistory {
  /** In order, without overlap. */
  readonly states: readonly StateSpan[]
  readonly alarms: readonly AlarmSpan[]
}

/** The parts of a document that rules read. */
export interface HistoryHour extends Pick<HourDocument, 'slotMs' | 'alarms'> {
  readonly segments: readonly HistorySegment[]
}

export type HistorySegment = Pick<Segment, 'start' | 'end' | 'status' | 'reason' | 'shift' | 'scheduled'>

/** Returns the history in the documents of one machine, which are in order: what ends after an instant, UTC ms. */
export function historyOf(hours: readonly HistoryHour[], fromMs = -Infinity): MachineHistory {
  const states = joinStates(hours)
  return {
    states: states.slice(firstEndingAfter(states, fromMs)),
    alarms: alarmsOf(hours).filter(({ endMs }) => endMs > fromMs),
  }
}

function joinStates(hours: readonly HistoryHour[]): readonly StateSpan[] {
  const states: StateSpan[] = []
  for (const { slotMs, segments } of hours) {
    for (const segment of segments) {
      const last = states.at(-1)
      const startMs = slotMs + segment.start
      const endMs = slotMs + segment.end
      if (last && last.endMs === startMs && isSame(last, segment)) states[states.length - 1] = { ...last, endMs }
      else states.push(toState(segment, startMs, endMs))
    }
  }
  return states
}

/** Whether rules see no difference between two states except their time. */
export function isSame(
  last: Omit<HistorySegment, 'start' | 'end'>,
  { status, reason, scheduled, shift }: typeof last,
): boolean {
  return last.status === status && last.reason === reason && last.scheduled === scheduled && last.shift === shift
}

function toState({ status, reason, scheduled, shift }: HistorySegment, startMs: number, endMs: number): StateSpan {
  return { startMs, endMs, status, reason, scheduled, shift }
}

/** Returns each instance once, with its end in the last document that contains it. */
function alarmsOf(hours: readonly HistoryHour[]): readonly AlarmSpan[] {
  const found = new Map<string, AlarmSpan>()
  for (const { alarms } of hours) {
    for (const { key, nativeCode, message, level, startMs, endMs } of alarms) {
      const identity = JSON.stringify([key, nativeCode, level, startMs])
      found.set(identity, { nativeCode, message, level, startMs, endMs: endMs ?? Infinity })
    }
  }
  return [...found.values()]
}
