export type Level = 'WARNING' | 'FAULT'

/** Active condition of a data item. */
export interface ActiveCondition {
  readonly code: string
  readonly level: Level
  readonly nativeSeverity: string
  readonly qualifier: string
  readonly message: string
}

type ById = Map<string, ActiveCondition>

/** Active conditions of a data item by condition id, in the order in which they were raised. */
export class ActiveConditions implements Iterable<readonly [id: string, condition: ActiveCondition]> {
  readonly #byId: ById = new Map()
  readonly #byCode = new Map<string, Readonly<Record<Level, ById>>>()
  #textLength = 0

  constructor(conditions: Iterable<readonly [id: string, condition: ActiveCondition]> = []) {
    for (const [id, condition] of conditions) this.raise(id, condition)
  }

  get size(): number {
    return this.#byId.size
  }

  /** Length of all texts with the ids, UTF-16 units. */
  get textLength(): number {
    return this.#textLength
  }

  get(id: string): ActiveCondition | undefined {
    return this.#byId.get(id)
  }

  /** Adds a condition as the last one, or replaces that of its id. */
  raise(id: string, condition: ActiveCondition): void {
    this.end(id)
    this.#byId.set(id, condition)
    this.#textLength += lengthOf(id, condition)
    let levels = this.#byCode.get(condition.code)
    if (levels === undefined) this.#byCode.set(condition.code, (levels = { WARNING: new Map(), FAULT: new Map() }))
    levels[condition.level].set(id, condition)
  }

  /** Removes a condition. */
  end(id: string): void {
    const condition = this.#byId.get(id)
    if (condition === undefined) return
    this.#byId.delete(id)
    this.#textLength -= lengthOf(id, condition)
    const levels = this.#byCode.get(condition.code)
    levels?.[condition.level].delete(id)
    if (levels?.WARNING.size === 0 && levels.FAULT.size === 0) this.#byCode.delete(condition.code)
  }

  clear(): void {
    this.#byId.clear()
    this.#byCode.clear()
    this.#textLength = 0
  }

  /** Returns the first condition of a code's worst level; null: the code is not active. */
  worstOf(code: string): ActiveCondition | null {
    const levels = this.#byCode.get(code)
    const [worst = null] = levels?.[levels.FAULT.size > 0 ? 'FAULT' : 'WARNING'].values() ?? []
    return worst
  }

  /** Returns the worst condition of each code, in the order of their first conditions. */
  worstByCode(): ReadonlyMap<string, ActiveCondition> {
    const worst = new Map<string, ActiveCondition>()
    for (const { code } of this.#byId.values())
      if (!worst.has(code)) {
        const found = this.worstOf(code)
        if (found !== null) worst.set(code, found)
      }
    return worst
  }

  [Symbol.iterator](): Iterator<readonly [id: string, condition: ActiveCondition]> {
    return this.#byId.entries()
  }
}

function lengthOf(id: string, { code, nativeSeverity, qualifier, message }: ActiveCondition): number {
  return id.length + code.length + nativeSeverity.length + qualifier.length + message.length
}
