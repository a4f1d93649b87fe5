/** Hours that are remembered, over all companies: reports mostly end in the same few. */
const most = 64

/** Machines whose document of an hour was seen in the store: it never goes away again, so that most reports needn't look. */
export class WrittenHours {
  readonly #machines = new Map<string, Set<number>>()

  /** Refs of the machines known to have a document of this hour; add to it what is seen. */
  of(company: number, slotMs: number): Set<number> {
    const key = `${company}/${slotMs}`
    const known = this.#machines.get(key) ?? new Set()
    this.#machines.delete(key)
    this.#machines.set(key, known)
    const [oldest] = this.#machines.keys()
    if (this.#machines.size > most && oldest !== undefined) this.#machines.delete(oldest)
    return known
  }
}
