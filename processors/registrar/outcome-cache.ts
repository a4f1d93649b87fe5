import type { Outcome, RecordEntry } from '../../schema/commands/command-log.ts'

/** Clocks that stamp the log may differ by this much. */
const marginMs = 600_000

/**
 * Outcomes by command id, for as long as a repeat would still be in time: later ones are past their deadline, and dropped anyway.
 */
export class OutcomeCache {
  readonly #outcomes = new Map<string, { readonly outcome: Outcome; readonly deadlineMs: number }>()

  outcomeOf(commandId: string): Outcome | null {
    return this.#outcomes.get(commandId)?.outcome ?? null
  }

  add({ command, outcome }: RecordEntry, appendedAtMs: number): void {
    if (!this.#outcomes.has(command.id)) this.#outcomes.set(command.id, { outcome, deadlineMs: command.deadlineMs })
    for (const [id, { deadlineMs }] of this.#outcomes) {
      if (deadlineMs + marginMs >= appendedAtMs) break
      this.#outcomes.delete(id)
    }
  }
}
