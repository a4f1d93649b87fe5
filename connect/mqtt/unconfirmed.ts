import { hash } from 'node:crypto'
import type { Note } from '../source/note.ts'

/**
 * Returns the hash by which a message that the broker sends again is recognized. The broker sends it with the same packet
 * id; without that, an equal message, such as another part, could not be distinguished from it.
 */
export function hashOf(messageId: number, topic: string, payload: Buffer): string {
  const message = Buffer.concat([Buffer.from(`${messageId}\0${topic}\0`), payload])
  return hash('sha256', message, 'base64').slice(0, 12)
}

/** Limit of the hashes of a connection: a broker that answers no ping confirms none. */
const maxHashes = 10_000

/** Hashes of the acknowledged messages that the broker may send again; a part of the position. */
export interface StoredHashes {
  /** Oldest first. */
  readonly hashes: readonly string[]
  /** Number of acknowledged messages. */
  readonly received?: number
}

/**
 * Messages that the broker may send again: those whose acknowledgement it has not confirmed. It confirms an
 * acknowledgement by answering a ping that was sent after it. Messages are numbered.
 */
export class Unconfirmed {
  /** Hashes of acknowledged messages, oldest first; a part of the position. */
  readonly hashes: string[]
  /** Hashes of messages of earlier connections. */
  readonly #earlier: Set<string>
  /** Number of those in `hashes`. */
  #earlierCount: number
  /** Number of hashes when each ping was sent that is not answered. */
  readonly #pings: number[] = []
  #received: number
  /** Number of the last message, which may not be acknowledged yet. */
  #last: number

  /** `notes`: those that `noteOf` has returned; only messages after the stored ones count. */
  constructor(stored: StoredHashes, notes: readonly Note[] = []) {
    this.hashes = [...stored.hashes]
    this.#received = stored.received ?? 0
    for (const note of notes) this.#restore(note)
    this.#last = this.#received
    this.hashes.splice(0, this.hashes.length - maxHashes)
    this.#earlier = new Set(this.hashes)
    this.#earlierCount = this.hashes.length
  }

  /** Number of the last acknowledged message; a part of the position. */
  get received(): number {
    return this.#received
  }

  /** The broker has discarded the session, and sends no message again. */
  clear(): void {
    this.hashes.length = 0
    this.#pings.fill(0)
    this.#forgetEarlier()
  }

  /** Whether the connection must end, because the broker has not confirmed its acknowledgements. */
  get isFull(): boolean {
    return this.hashes.length - this.#earlierCount >= maxHashes
  }

  /** Whether a message was received over an earlier connection. */
  isRepeated(hash: string): boolean {
    return this.#earlier.has(hash)
  }

  /** Returns the note of the next message, which is stored with its samples. */
  noteOf(hash: string): Note {
    return { number: ++this.#last, text: `${this.#confirmed} ${hash}` }
  }

  /** The messages are acknowledged in the order of `noteOf`. */
  acknowledged(hash: string): void {
    this.hashes.push(hash)
    this.#received++
  }

  /** Whether a ping would confirm acknowledgements that no earlier one does. */
  get needsPing(): boolean {
    return this.hashes.length > 0 && this.#pings.length === 0
  }

  pingSent(): void {
    this.#pings.push(this.hashes.length)
  }

  /** A ping was answered: the broker has sent the unacknowledged messages of earlier connections before. */
  pingAnswered(): void {
    const confirmed = this.#pings.shift() ?? 0
    this.hashes.splice(0, confirmed)
    for (const [index, count] of this.#pings.entries()) this.#pings[index] = count - confirmed
    this.#forgetEarlier()
  }

  /** Number of the last message whose acknowledgement the broker has confirmed. */
  get #confirmed(): number {
    return this.#received - this.hashes.length
  }

  /** A message without a note, which gave no samples, has the hash "". */
  #restore({ number, text }: Note): void {
    const [confirmed, hash = ''] = text.split(' ')
    if (number <= this.#received) return
    this.hashes.push(...Array<string>(Math.min(maxHashes, number - this.#received - 1)).fill(''), hash)
    this.#received = number
    this.hashes.splice(0, Number(confirmed) - this.#confirmed)
  }

  #forgetEarlier(): void {
    this.#earlier.clear()
    this.#earlierCount = 0
  }
}
