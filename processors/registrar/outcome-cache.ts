import type { Outcome, RecordEntry } from '../../schema/commands/command-log.ts'

/** Maximum difference between the clocks that timestamp records of the log. */
const marginMs = 600_000

/**
 * Outcomes by command id. They are stored until the command's deadline: a later repeat is rejected because of the
 * deadline.
 */
export class OutcomeCache {
  readonly #outcomes = new Map<string, { readonly outcome: Outcome; readonly deadlineMs: number }>()

  findOutcome(commandId: string): Outcome | null {
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
