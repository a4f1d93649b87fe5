import type { Sample } from '../../schema/sample.ts'
import { nameOf } from '../../schema/canonical-name.ts'
import type { ActiveCondition } from './state.ts'
import { compareTexts } from './values.ts'

/** An alarm instance that ended. */
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
 * The conditions of a machine, per key and code. Samples of one millisecond are taken one by one and then settled: an instance
 * is the same when its level is, however often it was cleared and raised in between.
 */
export class Conditions {
  readonly #byKey = new Map<string, Map<string, ActiveCondition>>()
  readonly #touched = new Map<string, Touched>()
  #faults = 0
  readonly ended: EndedCondition[] = []

  constructor(active: readonly ActiveCondition[]) {
    for (const condition of active) this.#codesOf(nameOf(condition.key)).set(condition.code, condition)
    this.#faults = active.filter(isFault).length
  }

  /** Takes a condition's sample at `atMs`; a value that is no condition level is passed over. */
  take({ key, type, value, nativeCode: code, message }: Sample, atMs: number): void {
    const name = nameOf(key)
    if (value === 'WARNING' || value === 'FAULT') {
      this.#touch(name, code)
      this.#codesOf(name).set(code, { key, code, type, level: value, message, startMs: atMs })
    } else if (value === 'UNAVAILABLE' || (value === 'NORMAL' && code === '')) {
      for (const active of this.#byKey.get(name)?.keys() ?? []) this.#clear(name, active)
    } else if (value === 'NORMAL') this.#clear(name, code)
  }

  #clear(name: string, code: string): void {
    const codes = this.#byKey.get(name)
    if (!codes?.has(code)) return
    this.#touch(name, code)
    codes.delete(code)
  }

  #touch(name: string, code: string): void {
    const id = `${name}\n${code}`
    if (!this.#touched.has(id)) this.#touched.set(id, { name, code, before: this.#byKey.get(name)?.get(code) })
  }

  /** Ends the millisecond `atMs`: decides which instances went on, ended or began. */
  settle(atMs: number): void {
    if (this.#touched.size === 0) return
    for (const { name, code, before } of this.#touched.values()) {
      const codes = this.#codesOf(name)
      const after = codes.get(code)
      this.#faults += Number(isFault(after)) - Number(isFault(before))
      if (!before) continue
      if (after?.level === before.level) codes.set(code, before)
      else this.ended.push({ condition: before, endMs: atMs })
    }
    this.#touched.clear()
  }

  /** Whether any condition was at FAULT when last settled. */
  get anyFault(): boolean {
    return this.#faults > 0
  }

  /** By canonical key, then code. */
  get active(): readonly ActiveCondition[] {
    const active: ActiveCondition[] = []
    for (const codes of this.#byKey.values()) for (const condition of codes.values()) active.push(condition)
    return active.sort((a, b) => compareTexts(nameOf(a.key), nameOf(b.key)) || compareTexts(a.code, b.code))
  }

  #codesOf(name: string): Map<string, ActiveCondition> {
    const known = this.#byKey.get(name)
    if (known) return known
    const fresh = new Map<string, ActiveCondition>()
    this.#byKey.set(name, fresh)
    return fresh
  }
}

function isFault(condition: ActiveCondition | undefined): boolean {
  return condition?.level === 'FAULT'
}
