import type { Sample } from '../../schema/sample.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import type { ActiveCondition } from './state.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

/**
 * Limits of the conditions of one machine, far above what a control sends. Samples that exceed them are skipped and
 * counted, so that state and documents stay small. The limits are applied in the order of samples, independent of the
 * order of arrival.
 */
export const conditionLimits = {
  active: 1_000,
  /** Maximum total length of their keys, codes, types and messages, UTF-16 units. */
  chars: 500_000,
  /** Maximum number of alarm instances that start within an hour; the last accepted millisecond may exceed it. */
  begunInHour: 5_000,
} as const

/** An alarm instance with its end. */
export interface EndedCondition {
  readonly condition: ActiveCondition
  readonly endMs: number
}

interface Touched {
  readonly name: string
  readonly code: string
  readonly before: ActiveCondition | undefined
}

/**
 * Conditions of a machine by key and code. The samples of one millisecond are applied one by one, then `settle`
 * compares the conditions before and after: an instance continues if its level is the same, even if it was cleared and
 * raised in between.
 */
export class Conditions {
  readonly #byKey = new Map<string, Map<string, ActiveCondition>>()
  readonly #touched = new Map<string, Touched>()
  #faults = 0
  #active = 0
  #chars = 0
  #begun = 0
  #skippedSamples = 0
  readonly ended: EndedCondition[] = []

  constructor(active: readonly ActiveCondition[]) {
    for (const condition of active) this.#put(cachedCanonicalName(condition.key), condition)
    this.#faults = active.filter(isFault).length
  }

  /** Applies a sample of a condition at `atMs`; ignores a value that is not a condition level. */
  apply({ key, type, value, nativeCode: code, message }: Sample, atMs: number): void {
    const name = cachedCanonicalName(key)
    if (value === 'WARNING' || value === 'FAULT') {
      this.#raise(name, { key, code, type, level: value, message, startMs: atMs })
    } else if (value === 'UNAVAILABLE' || (value === 'NORMAL' && code === '')) {
      for (const active of this.#byKey.get(name)?.keys() ?? []) this.#clear(name, active)
    } else if (value === 'NORMAL') this.#clear(name, code)
  }

  #raise(name: string, condition: ActiveCondition): void {
    const known = this.#byKey.get(name)?.get(condition.code)
    const isRepeat = known?.level === condition.level
    const chars = this.#chars - charsOf(known) + charsOf(condition)
    const active = this.#active + (known ? 0 : 1)
    const { active: maxActive, chars: maxChars, begunInHour } = conditionLimits
    if (!isRepeat && (active > maxActive || chars > maxChars || this.#begun >= begunInHour)) this.#skippedSamples++
    else {
      this.#touch(name, condition.code)
      this.#put(name, condition)
    }
  }

  #put(name: string, condition: ActiveCondition): void {
    const codes = getOrCreate(this.#byKey, name, () => new Map<string, ActiveCondition>())
    const known = codes.get(condition.code)
    codes.set(condition.code, condition)
    this.#active += known ? 0 : 1
    this.#chars += charsOf(condition) - charsOf(known)
  }

  #clear(name: string, code: string): void {
    const codes = this.#byKey.get(name)
    const known = codes?.get(code)
    if (!codes || !known) return
    this.#touch(name, code)
    codes.delete(code)
    this.#active--
    this.#chars -= charsOf(known)
  }

  #touch(name: string, code: string): void {
    const id = `${name}\n${code}`
    if (!this.#touched.has(id)) this.#touched.set(id, { name, code, before: this.#byKey.get(name)?.get(code) })
  }

  /** Completes the millisecond `atMs`: determines which instances continued, ended or started. */
  settle(atMs: number): void {
    if (this.#touched.size === 0) return
    for (const { name, code, before } of this.#touched.values()) {
      const after = this.#byKey.get(name)?.get(code)
      this.#faults += Number(isFault(after)) - Number(isFault(before))
      if (before && after?.level === before.level) this.#put(name, before)
      else {
        if (before) this.ended.push({ condition: before, endMs: atMs })
        if (after) this.#begun++
      }
    }
    this.#touched.clear()
  }

  /** Whether any condition had the level FAULT at the last call of `settle`. */
  get hasFault(): boolean {
    return this.#faults > 0
  }

  /** Number of samples that were skipped because they exceed the limits. */
  get skippedSamples(): number {
    return this.#skippedSamples
  }

  /** Active conditions by canonical key, then code. */
  get active(): readonly ActiveCondition[] {
    const active: ActiveCondition[] = []
    for (const codes of this.#byKey.values()) for (const condition of codes.values()) active.push(condition)
    return active.sort(
      (a, b) => compareTexts(cachedCanonicalName(a.key), cachedCanonicalName(b.key)) || compareTexts(a.code, b.code),
    )
  }
}

function isFault(condition: ActiveCondition | undefined): boolean {
  return condition?.level === 'FAULT'
}

function charsOf(condition: ActiveCondition | undefined): number {
  if (!condition) return 0
  const { key, code, type, message } = condition
  return key.length + code.length + type.length + message.length
}
