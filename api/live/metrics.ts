import { canonicalName } from '../../schema/sample.ts'

/** A metric that machines send values of, with its names as sent. */
export interface LiveMetric {
  readonly id: number
  readonly key: string
  readonly type: string
  readonly subtype: string
}

type Names = Pick<LiveMetric, 'key' | 'type' | 'subtype'>

/** Every metric ever heard of, each once: machines of a plant share theirs. */
export class Metrics {
  readonly #byNames = new Map<string, Map<string, Map<string, LiveMetric>>>()
  readonly #byId: LiveMetric[] = []

  /** The metric of these names, where it was ever heard of. */
  find({ key, type, subtype }: Names): LiveMetric | undefined {
    return this.#byNames.get(key)?.get(type)?.get(subtype)
  }

  /** The metric of these names; a new one is kept for ever. */
  of({ key, type, subtype }: Names): LiveMetric {
    let types = this.#byNames.get(key)
    if (types === undefined) this.#byNames.set(key, (types = new Map()))
    let subtypes = types.get(type)
    if (subtypes === undefined) types.set(type, (subtypes = new Map()))
    let metric = subtypes.get(subtype)
    if (metric === undefined) {
      metric = { id: this.#byId.length, key, type, subtype }
      subtypes.set(subtype, metric)
      this.#byId.push(metric)
    }
    return metric
  }

  /** The metric of these names; one that no machine's values have is not kept, as names from outside have no end. */
  named(names: Names): LiveMetric {
    const { key, type, subtype } = names
    return this.find(names) ?? { id: -1, key, type, subtype }
  }

  byId(id: number): LiveMetric {
    const metric = this.#byId[id]
    if (metric === undefined) throw new Error(`invariant: there is no metric ${id}`)
    return metric
  }
}

/** Whether a name is among the requested ones; null: all are. Names match without regard to case, `_` and spaces. */
export function matcherOf(names: string | readonly string[] | null | undefined): (name: string) => boolean {
  if (names === null || names === undefined) return () => true
  const wanted = new Set([names].flat().map(canonicalName))
  return name => wanted.has(canonicalName(name))
}
