import type { Command } from '../../schema/commands/command-log.ts'

/** Clocks that stamp the log may differ by this much. */
const marginMs = 600_000

/** The chunks that have come of a command. */
interface Open {
  readonly first: Command
  readonly payloads: unknown[]
  /** Offset of its first chunk. */
  readonly offset: number
}

/** Puts commands together that came in chunks; other commands may lie between these. */
export class CommandChunks {
  readonly #open = new Map<string, Open>()

  /**
   * The command that ends with this chunk, with the list of all payloads as its payload; null if it is not complete.
   */
  take(command: Command, index: number, count: number, offset: number): Command | null {
    if (index === 0) this.#open.set(command.id, { first: command, payloads: [], offset })
    const open = this.#open.get(command.id)
    if (!open || open.payloads.length !== index) return null
    open.payloads.push(command.payload)
    if (index + 1 < count) return null
    this.#open.delete(command.id)
    const { chunk: _, ...head } = open.first
    return { ...head, payload: open.payloads }
  }

  /** The offset from which a reader must restart to read all incomplete commands. Infinity: none is incomplete. */
  get heldFrom(): number {
    let from = Infinity
    for (const { offset } of this.#open.values()) from = Math.min(from, offset)
    return from
  }

  /** Gives up what can't become whole in time any more. */
  forgetLate(nowMs: number): void {
    for (const [id, { first }] of this.#open) if (first.deadlineMs + marginMs < nowMs) this.#open.delete(id)
  }
}
