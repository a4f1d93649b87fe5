import { type AlarmPiece } from '../../schema/document.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { Range } from './commission.ts'
import type { Replay } from './replay.ts'
import type { ActiveCondition } from './state.ts'
import { compareTexts } from './values.ts'

const noAlarms: readonly AlarmPiece[] = []

/**
 * The alarm instances of the hour that have time both in it and in the commissioned range, by start, key and code. One that
 * ends at the very start of the hour is among them, though it has no time here: no other document can tell that it ended.
 */
export function alarmPieces(
  { endedConditions, activeConditions }: Replay,
  slotMs: number,
  range: Range,
): readonly AlarmPiece[] {
  if (endedConditions.length === 0 && activeConditions.length === 0) return noAlarms
  const pieces = [
    ...endedConditions.map(({ condition, endMs }) => pieceOf(condition, endMs)),
    ...activeConditions.map(condition => pieceOf(condition, null)),
  ]
  return pieces
    .filter(piece => counts(piece, slotMs, range))
    .sort((a, b) => a.startMs - b.startMs || compareTexts(a.key, b.key) || compareTexts(a.nativeCode, b.nativeCode))
}

function pieceOf({ key, code, message, level, startMs }: ActiveCondition, endMs: number | null): AlarmPiece {
  return { key, nativeCode: code, message, level, startMs, endMs }
}

function counts({ startMs, endMs }: AlarmPiece, slotMs: number, range: Range): boolean {
  if (endMs === slotMs) return range.fromMs < slotMs && slotMs <= range.toMs
  return Math.max(startMs, slotMs, range.fromMs) < Math.min(endMs ?? Infinity, slotMs + hourMs, range.toMs)
}
