import { isUtf8 } from 'node:buffer'
import type { NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import type { DeadLetter, WireSample } from '../../schema/topics.ts'

/** Maximum length of a value, in UTF-16 units: a longer one would not fit a record of the log. */
export const maxDeadLetterLength = 200_000

/**
 * Returns the text of a record for its dead letter. A record that is not UTF-8 is shown as Latin-1 after a prefix: the prefix prevents a
 * replay from accepting text with wrong characters.
 */
export function textOfRecord(value: Buffer): string {
  // Three bytes for each UTF-16 unit of a full dead letter and for one more unit, which shows that the text is to be cut.
  const end = 3 * (maxDeadLetterLength + 1)
  return isUtf8(value) ? value.toString('utf8', 0, end) : `not UTF-8: ${value.toString('latin1', 0, end)}`
}

/** Returns a record of deadletters.v1. A value that would not fit the log is cut: it can be read, but not replayed. */
export function deadLetterRecord(deadLetter: DeadLetter): NewRecord {
  const fits = deadLetter.value.length <= maxDeadLetterLength
  const fitting = fits
    ? deadLetter
    : { ...deadLetter, value: deadLetter.value.slice(0, maxDeadLetterLength), message: `${deadLetter.message} (cut)` }
  return { key: null, value: Buffer.from(JSON.stringify(fitting)) }
}

/** Returns a sample as a sender would write it. */
export function wireSample(machineId: string, sample: Sample): WireSample {
  const { key, type, value, category, instanceId, sequence } = sample
  const texts = { subtype: sample.subtype, nativeCode: sample.nativeCode, nativeSeverity: sample.nativeSeverity }
  const details = { ...texts, qualifier: sample.qualifier, message: sample.message }
  const filled = Object.fromEntries(Object.entries(details).filter(([, text]) => text !== ''))
  const identity = instanceId === null || sequence === null ? {} : { instanceId, sequence }
  return { machineId, timestamp: isoMicroseconds(sample.atUs), key, type, value, category, ...filled, ...identity }
}

/** Returns `YYYY-MM-DDTHH:mm:ss.SSSSSSZ`. */
function isoMicroseconds(atUs: number): string {
  const atMs = Math.floor(atUs / 1000)
  const micros = String(atUs - atMs * 1000).padStart(3, '0')
  return `${new Date(atMs).toISOString().slice(0, -1)}${micros}Z`
}

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
