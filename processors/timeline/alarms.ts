import { type AlarmElement } from '../../schema/document.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { Range } from './commission.ts'
import type { Replay } from './replay.ts'
import type { ActiveCondition } from './state.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

const noAlarms: readonly AlarmElement[] = []

/**
 * Returns the alarm instances that are active in the hour and the commissioned range, by start, key and code. Includes
 * instances that ended exactly at the start of the hour: no other document contains their end.
 */
export function alarmElements(
  { endedConditions, activeConditions }: Replay,
  slotMs: number,
  range: Range,
): readonly AlarmElement[] {
  if (endedConditions.length === 0 && activeConditions.length === 0) return noAlarms
  const elements = [
    ...endedConditions.map(({ condition, endMs }) => toElement(condition, endMs)),
    ...activeConditions.map(condition => toElement(condition, null)),
  ]
  return elements
    .filter(element => hasTimeInHour(element, slotMs, range))
    .sort((a, b) => a.startMs - b.startMs || compareTexts(a.key, b.key) || compareTexts(a.nativeCode, b.nativeCode))
}

function toElement({ key, code, message, level, startMs }: ActiveCondition, endMs: number | null): AlarmElement {
  return { key, nativeCode: code, message, level, startMs, endMs }
}

function hasTimeInHour({ startMs, endMs }: AlarmElement, slotMs: number, range: Range): boolean {
  if (endMs === slotMs) return range.fromMs < slotMs && slotMs <= range.toMs
  return Math.max(startMs, slotMs, range.fromMs) < Math.min(endMs ?? Infinity, slotMs + hourMs, range.toMs)
}
