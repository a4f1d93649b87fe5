import type { Sample } from '../../schema/sample.ts'

type Names = Pick<Sample, 'key' | 'type' | 'subtype'>

/** Numbers the names of metrics, each name once: machines of a plant share theirs. */
export class MetricNumbers {
  readonly #ids = new Map<string, Map<string, Map<string, number>>>()
  #count = 0
  #chars = 0

  /** Total length of all names, in UTF-16 units. */
  get chars(): number {
    return this.#chars
  }

  find({ key, type, subtype }: Names): number | undefined {
    return this.#ids.get(key)?.get(type)?.get(subtype)
  }

  /** Returns the number of a metric; registers a new one. */
  idOf({ key, type, subtype }: Names): number {
    let types = this.#ids.get(key)
    if (!types) this.#ids.set(key, (types = new Map()))
    let subtypes = types.get(type)
    if (!subtypes) types.set(type, (subtypes = new Map()))
    let id = subtypes.get(subtype)
    if (id === undefined) {
      subtypes.set(subtype, (id = this.#count++))
      this.#chars += key.length + type.length + subtype.length
    }
    return id
  }
}
