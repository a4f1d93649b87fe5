import { createHash } from 'node:crypto'

/**
 * Returns the hash by which a message that the broker sends again is recognized. The broker sends it with the same packet
 * id; without that, an equal message, such as another part, could not be distinguished from it.
 */
export function hashOf(messageId: number, topic: string, payload: Buffer): string {
  const hash = createHash('sha256').update(`${messageId}\0${topic}\0`).update(payload)
  return hash.digest('base64').slice(0, 12)
}

/** Limit of the hashes of a connection: a broker that answers no ping confirms none. */
const maxHashes = 10_000

/**
 * Messages that the broker may send again: those whose acknowledgement it has not confirmed. It confirms an
 * acknowledgement by answering a ping that was sent after it.
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

  constructor(stored: readonly string[]) {
    this.hashes = stored.slice(-maxHashes)
    this.#earlier = new Set(this.hashes)
    this.#earlierCount = this.hashes.length
  }

  /** The broker has discarded the session, and sends no message again. */
  clear(): void {
    this.hashes.length = 0
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

  acknowledged(hash: string): void {
    this.hashes.push(hash)
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

  #forgetEarlier(): void {
    this.#earlier.clear()
    this.#earlierCount = 0
  }
}
