import { maxDeadLetterLength } from './dead-letters.ts'

interface Open<Kind> {
  readonly kind: Kind
  readonly samples: string[]
  /** Length of the JSON of the samples. */
  length: number
}

/**
 * Packs samples into the values of few dead letters: samples of one name share a value until it is full. If `maxNames` values are open,
 * samples of a further name share one value, so that a request or record causes only a few dead letters for each of its megabytes.
 */
export class SamplePacker<Kind> {
  readonly #maxNames: number
  readonly #write: (kind: Kind, value: string) => void
  readonly #open = new Map<string, Open<Kind>>()

  /** `write` receives each value when it is full, and the open ones at the end. */
  constructor(maxNames: number, write: (kind: Kind, value: string) => void) {
    this.#maxNames = maxNames
    this.#write = write
  }

  /** `json`: the sample as JSON of its own. `kindOf` returns the kind of a dead letter of one name, or of several names. */
  add(name: string, sharedName: string, json: string, kindOf: (isShared: boolean) => Kind): void {
    const isOwn = this.#open.has(name) || this.#open.size < this.#maxNames
    const key = isOwn ? name : sharedName
    let open = this.#open.get(key)
    if (open && open.length + json.length + 1 > maxDeadLetterLength) {
      this.#end(open)
      open = undefined
    }
    open ??= { kind: kindOf(!isOwn), samples: [], length: 1 }
    open.samples.push(json)
    open.length += json.length + 1
    this.#open.set(key, open)
  }

  /** Writes the open values. */
  end(): void {
    for (const open of this.#open.values()) this.#end(open)
    this.#open.clear()
  }

  #end({ kind, samples }: Open<Kind>): void {
    this.#write(kind, samples.length === 1 ? samples.join('') : `[${samples.join(',')}]`)
  }
}
