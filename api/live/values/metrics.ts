import { canonicalName } from '../../../schema/sample.ts'

/** A metric of machines, with its names as sent. */
export interface LiveMetric {
  readonly id: number
  readonly key: string
  readonly type: string
  readonly subtype: string
}

type Names = Pick<LiveMetric, 'key' | 'type' | 'subtype'>

/** Every metric that was ever seen, each once, because the machines of a plant share them. */
export class Metrics {
  readonly #byNames = new Map<string, Map<string, Map<string, LiveMetric>>>()
  readonly #byId: LiveMetric[] = []

  /** The metric of these names, if it was ever seen. */
  find({ key, type, subtype }: Names): LiveMetric | undefined {
    return this.#byNames.get(key)?.get(type)?.get(subtype)
  }

  /** The metric of these names; a new one is stored permanently. */
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

  /**
   * The metric of these names. A metric that no machine has is not stored, because the number of requested names is
   * unlimited.
   */
  named(names: Names): LiveMetric {
    const { key, type, subtype } = names
    return this.find(names) ?? { id: -1, key, type, subtype }
  }

  byId(id: number): LiveMetric {
    const metric = this.#byId[id]
    if (metric === undefined) throw new Error(`invariant: unknown metric ${id}`)
    return metric
  }
}

/** Creates a test of whether a name is among the requested ones; null: all are. Case, `_` and spaces do not matter. */
export function matcherOf(names: string | readonly string[] | null | undefined): (name: string) => boolean {
  if (names === null || names === undefined) return () => true
  const requested = new Set([names].flat().map(canonicalName))
  return name => requested.has(canonicalName(name))
}
