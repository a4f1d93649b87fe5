/** A text that came before, and its bytes. */
interface Known {
  readonly text: string
  readonly bytes: Uint8Array
}

/** Senders repeat a few hundred names for ever; one that sends ever new ones must not fill the memory. */
const mostKnown = 10_000
const mostBytes = 64
const known = new Map<number, Known>()

/** Texts of ASCII out of JSON: those that come again and again are made once. */
export class PlainTexts {
  readonly #json: Buffer

  constructor(json: Buffer) {
    this.#json = json
  }

  slice(from: number, to: number): string {
    return this.#json.toString('latin1', from, to)
  }

  /** Reads a text that begins here, without its quote; undefined: it is longer than a name, or not plain. */
  read(from: number): string | undefined {
    const json = this.#json
    let hash = 0x811c9dc5
    let to = from
    for (; ; to++) {
      const byte = json[to] ?? 0
      if (byte === quote) break
      if (byte < space || byte > lastAscii || byte === backslash || to - from === mostBytes) return undefined
      hash = Math.imul(hash ^ byte, 0x01000193)
    }
    const found = known.get(hash)
    if (found !== undefined && isAt(json, from, to, found.bytes)) return found.text
    const text = this.slice(from, to)
    if (found === undefined) {
      if (known.size >= mostKnown) known.clear()
      // A copy: the body does not stay.
      known.set(hash, { text, bytes: Uint8Array.prototype.slice.call(json, from, to) })
    }
    return text
  }
}

function isAt(json: Uint8Array, from: number, to: number, bytes: Uint8Array): boolean {
  if (to - from !== bytes.length) return false
  for (let i = 0; i < bytes.length; i++) if (json[from + i] !== bytes[i]) return false
  return true
}

const space = 0x20
const quote = 0x22
const backslash = 0x5c
const lastAscii = 0x7f
