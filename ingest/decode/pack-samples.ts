import { maxDeadLetterLength } from './dead-letters.ts'

interface Open<Kind> {
  readonly kind: Kind
  readonly samples: string[]
  /** Length of the value that the samples make. */
  length: number
}

/**
 * Packs samples into the values of few dead letters: those of one name share a value until it is full. Past `mostNames` open ones samples
 * share the value of another name, so that one request or record cannot make more dead letters than a few for each of its megabytes.
 */
export class SamplePacker<Kind> {
  readonly #mostNames: number
  readonly #write: (kind: Kind, value: string) => void
  readonly #open = new Map<string, Open<Kind>>()

  /** `write` gets a value once it is full, and at the end. */
  constructor(mostNames: number, write: (kind: Kind, value: string) => void) {
    this.#mostNames = mostNames
    this.#write = write
  }

  /** `json`: a sample as JSON text of its own. `kindOf`: what the dead letter says, of its own samples or of `shared` ones. */
  add(name: string, sharedName: string, json: string, kindOf: (isShared: boolean) => Kind): void {
    const isOwn = this.#open.has(name) || this.#open.size < this.#mostNames
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

  /** Writes what is open. */
  end(): void {
    for (const open of this.#open.values()) this.#end(open)
    this.#open.clear()
  }

  #end({ kind, samples }: Open<Kind>): void {
    this.#write(kind, samples.length === 1 ? samples.join('') : `[${samples.join(',')}]`)
  }
}
