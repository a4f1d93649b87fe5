import { splitFields } from '../../ingest/shdr/fields.ts'
import { isLevel } from '../../ingest/shdr/words.ts'
import type { Discovery } from '../../schema/requests/connector-trial.ts'
import { ownCopy } from '../../shared/own-copy.ts'

/**
 * Limits of what is kept of a source: names, characters of a name and an example, bytes of the recording and of its lines,
 * which a request must be able to contain.
 */
const limits = { names: 2_000, nameChars: 500, exampleChars: 200, recordedBytes: 524_288, lineBytes: 65_536 } as const

/** Collects the topics or keys of a source, and a recording of what was read. */
export class FoundValues {
  readonly #names = new Set<string>()
  /** Values and lines since the last `take`. */
  #values = new Map<string, { count: number; example: string }>()
  #lines: string[] = []
  /** Bytes of all recorded lines. */
  #bytes = 0

  /** Adds a value of a topic or key. */
  add(name: string, value: string): void {
    const example = ownCopy(value.slice(0, limits.exampleChars))
    const known = this.#values.get(name)
    if (known !== undefined) Object.assign(known, { count: known.count + 1, example })
    else if (this.#names.has(name) || (this.#names.size < limits.names && name.length <= limits.nameChars)) {
      const own = ownCopy(name)
      this.#names.add(own)
      this.#values.set(own, { count: 1, example })
    }
  }

  /** Adds the keys of a line of an adapter. Without a probe document, a condition is recognized by its level. */
  addLine(line: string): void {
    if (line.startsWith('*')) return
    const [, ...fields] = splitFields(line)
    for (let at = 0; at + 1 < fields.length;) {
      const [name = '', value = ''] = fields.slice(at, at + 2)
      if (name !== '' && !name.startsWith('@')) this.add(name.replace(/^[^:]*:/, ''), value)
      at += isLevel(value) && fields.length - at >= 6 ? 6 : 2
    }
  }

  /** Adds a message to the recording, until it is full. `atMs`: time of receipt, UTC ms. */
  recordMessage(topic: string, payload: Buffer, atMs: number): void {
    // A payload may have hundreds of megabytes.
    if (payload.length < limits.lineBytes) this.record(recordedMessage(topic, payload, atMs))
  }

  /** Adds a line to the recording, until it is full. */
  record(line: string): void {
    const bytes = Buffer.byteLength(line) + 1
    if (bytes > limits.lineBytes || this.#bytes + bytes > limits.recordedBytes) return
    this.#bytes += bytes
    this.#lines.push(line)
  }

  /** Returns the values by name, and the recording, since the last call. */
  take(): Pick<Discovery, 'values' | 'recording'> {
    const values = [...this.#values].map(([name, each]) => ({ name, count: each.count, example: each.example }))
    const recording = this.#lines
    this.#values = new Map()
    this.#lines = []
    return { values: values.sort((a, b) => (a.name < b.name ? -1 : 1)), recording }
  }
}

/** Returns the line of a recorded message, as `npm run connect -- try` reads it. `atMs`: time of receipt, UTC ms. */
export function recordedMessage(topic: string, payload: Buffer, atMs: number): string {
  return JSON.stringify({ at: new Date(atMs).toISOString(), topic, payload: payload.toString() })
}
