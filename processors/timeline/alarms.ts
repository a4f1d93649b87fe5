import { type AlarmPiece } from '../../schema/document.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { Range } from './commission.ts'
import type { Replay } from './replay.ts'
import type { ActiveCondition } from './state.ts'
import { compareTexts } from './values.ts'

const noAlarms: readonly AlarmPiece[] = []

/**
 * Returns the alarm instances that are active in the hour and the commissioned range, by start, key and code. Includes
 * instances that ended exactly at the start of the hour: no other document contains their end.
 */
export function alarmPieces(
  { endedConditions, activeConditions }: Replay,
  slotMs: number,
  range: Range,
): readonly AlarmPiece[] {
  if (endedConditions.length === 0 && activeConditions.length === 0) return noAlarms
  const pieces = [
    ...endedConditions.map(({ condition, endMs }) => toPiece(condition, endMs)),
    ...activeConditions.map(condition => toPiece(condition, null)),
  ]
  return pieces
    .filter(piece => hasTimeInHour(piece, slotMs, range))
    .sort((a, b) => a.startMs - b.startMs || compareTexts(a.key, b.key) || compareTexts(a.nativeCode, b.nativeCode))
}

function toPiece({ key, code, message, level, startMs }: ActiveCondition, endMs: number | null): AlarmPiece {
  return { key, nativeCode: code, message, level, startMs, endMs }
}

function hasTimeInHour({ startMs, endMs }: AlarmPiece, slotMs: number, range: Range): boolean {
  if (endMs === slotMs) return range.fromMs < slotMs && slotMs <= range.toMs
  return Math.max(startMs, slotMs, range.fromMs) < Math.min(endMs ?? Infinity, slotMs + hourMs, range.toMs)
}
