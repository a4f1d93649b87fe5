import type { Command } from '../../schema/commands/command-log.ts'

/** Maximum difference between the clocks that timestamp records of the log. */
const marginMs = 600_000

/** The chunks of an incomplete command. */
interface Open {
  readonly first: Command
  readonly payloads: unknown[]
  /** Offset of the first chunk. */
  readonly offset: number
}

/** Assembles commands from their chunks; records of other commands may lie between the chunks. */
export class CommandChunks {
  readonly #open = new Map<string, Open>()

  /**
   * Adds a chunk. Returns the command, with the array of all chunks' payloads as its payload, if this is its last
   * chunk; null if the command is incomplete.
   */
  add(command: Command, index: number, count: number, offset: number): Command | null {
    if (index === 0) this.#open.set(command.id, { first: command, payloads: [], offset })
    const open = this.#open.get(command.id)
    if (!open || open.payloads.length !== index) return null
    open.payloads.push(command.payload)
    if (index + 1 < count) return null
    this.#open.delete(command.id)
    const { chunk: _, ...head } = open.first
    return { ...head, payload: open.payloads }
  }

  /** The offset from which a reader must restart to read all incomplete commands; Infinity if there are none. */
  get firstIncompleteOffset(): number {
    let from = Infinity
    for (const { offset } of this.#open.values()) from = Math.min(from, offset)
    return from
  }

  /** Removes incomplete commands whose deadline has passed. */
  removeExpired(nowMs: number): void {
    for (const [id, { first }] of this.#open) if (first.deadlineMs + marginMs < nowMs) this.#open.delete(id)
  }
}
