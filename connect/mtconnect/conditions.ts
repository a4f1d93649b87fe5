import { ownCopy } from '../../shared/own-copy.ts'
import { type ActiveCondition, ActiveConditions, type Level } from './active-conditions.ts'
import type { StreamObservation } from './observations.ts'

/** Limit of the active conditions of a data item. */
const maxActive = 1_000
/** Limit of their texts, UTF-16 units: with up to 3 bytes each, they fit a record of a position. */
const maxActiveLength = 32_768

/** Change of a code's level, which becomes a sample. */
export interface ConditionChange {
  readonly value: string
  readonly nativeCode: string
  readonly nativeSeverity: string
  readonly qualifier: string
  readonly message: string
  /** Whether the sample has the number of the observation; one sample of a key can have it. */
  readonly isNumbered: boolean
}

type Condition = Pick<
  StreamObservation,
  'element' | 'nativeCode' | 'nativeSeverity' | 'conditionId' | 'qualifier' | 'text'
>

/**
 * Applies a condition to the active ones and returns the changed codes. Several ids may have one code, whose level is the
 * worst of its ids. Above the limits, a condition is a change but does not become active.
 */
export function changeCondition(active: ActiveConditions, condition: Condition): readonly ConditionChange[] {
  const id = idOf(condition)
  const level = condition.element.toUpperCase()
  const isNormal = level === 'NORMAL'
  if (level === 'UNAVAILABLE' || (isNormal && id === '')) active.clear()
  else if (isNormal) return endCondition(active, id, condition)
  else if (isLevel(level) && (active.get(id) !== undefined || active.size < maxActive)) {
    const changes = raiseCondition(active, id, level, condition)
    if (active.textLength > maxActiveLength) active.end(id)
    return changes
  }
  return [ownChange(condition, codeOf(condition))]
}

function endCondition(active: ActiveConditions, id: string, condition: Condition): readonly ConditionChange[] {
  const code = active.get(id)?.code ?? codeOf(condition)
  const before = active.worstOf(code)
  active.end(id)
  const after = active.worstOf(code)
  if (after === null) return [ownChange(condition, code)]
  return before?.level === after.level ? [] : [changeTo(after, true)]
}

function raiseCondition(
  active: ActiveConditions,
  id: string,
  level: Level,
  condition: Condition,
): readonly ConditionChange[] {
  const code = codeOf(condition)
  const previous = active.get(id)
  const before = active.worstOf(code)
  const oldBefore = previous === undefined || previous.code === code ? null : active.worstOf(previous.code)
  const { nativeSeverity, qualifier, text: message } = condition
  active.end(id)
  const other = active.worstOf(code)
  const oldAfter = oldBefore === null ? null : active.worstOf(oldBefore.code)
  active.raise(ownCopy(id), {
    code: ownCopy(code),
    level,
    nativeSeverity: ownCopy(nativeSeverity),
    qualifier: ownCopy(qualifier),
    message: ownCopy(message),
  })
  const changes = oldBefore === null || oldAfter?.level === oldBefore.level ? [] : [oldChange(oldBefore, oldAfter)]
  if (other === null || (rank(level) >= rank(other.level) && before?.level !== level))
    changes.push(ownChange(condition, code))
  else if (before !== null && rank(before.level) > rank(other.level)) changes.push(changeTo(other, true))
  return changes
}

function oldChange(before: ActiveCondition, after: ActiveCondition | null): ConditionChange {
  return after === null ? normal(before.code) : changeTo(after, false)
}

/**
 * Replaces the active conditions by those that an agent still has after lost observations; returns the codes that ended or
 * fell. Codes that are still active are raised again if the code '' ended: NORMAL without a code ends all of them.
 */
export function replaceConditions(active: ActiveConditions, present: readonly Condition[]): readonly ConditionChange[] {
  const before = active.worstByCode()
  active.clear()
  for (const condition of present) changeCondition(active, condition)
  const after = active.worstByCode()
  const endsAll = before.has('') && !after.has('')
  const ended = [...before.keys()].filter(code => !after.has(code)).map(normal)
  const others = [...after].filter(([code, { level }]) => endsAll || (before.get(code)?.level ?? level) !== level)
  return [...ended, ...others.map(([, condition]) => changeTo(condition, false))]
}

/** Returns samples after which exactly these conditions of an agent are active: NORMAL for all codes, then each code. */
export function allConditions(present: readonly Condition[]): readonly ConditionChange[] {
  if (present.some(({ element }) => element.toUpperCase() === 'UNAVAILABLE')) return []
  const active = new ActiveConditions()
  for (const condition of present) changeCondition(active, condition)
  return [normal(''), ...[...active.worstByCode().values()].map(condition => changeTo(condition, false))]
}

function rank(level: Level): number {
  return level === 'FAULT' ? 2 : 1
}

function isLevel(level: string): level is Level {
  return level === 'WARNING' || level === 'FAULT'
}

/** The id of a condition is its nativeCode in agents before MTConnect 2.3. */
function idOf({ conditionId, nativeCode }: Condition): string {
  return conditionId === '' ? nativeCode : conditionId
}

function codeOf({ conditionId, nativeCode }: Condition): string {
  return nativeCode === '' ? conditionId : nativeCode
}

function ownChange(condition: Condition, nativeCode: string): ConditionChange {
  const { element, nativeSeverity, qualifier, text } = condition
  return { value: element, nativeCode, nativeSeverity, qualifier, message: text, isNumbered: true }
}

function changeTo(
  { code, level, nativeSeverity, qualifier, message }: ActiveCondition,
  isNumbered: boolean,
): ConditionChange {
  return { value: level, nativeCode: code, nativeSeverity, qualifier, message, isNumbered }
}

function normal(nativeCode: string): ConditionChange {
  return { value: 'NORMAL', nativeCode, nativeSeverity: '', qualifier: '', message: '', isNumbered: false }
}
