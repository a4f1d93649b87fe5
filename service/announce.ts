/** The stream to which progress is written, such as stdout. */
export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Writes the progress of the start. */
export interface Announcer {
  /** Writes the progress of a task, 0 to 1: one line that changes on a terminal, otherwise one line per quarter. */
  filled(share: number): void
  /** Writes a line. */
  line(text: string): void
}

/** Writes the progress of the start as lines of text; `what` names the task. */
export function createAnnouncer(output: Output, what: string): Announcer {
  let reportedPercent = -1
  let isLineOpen = false
  const step = output.isTTY ? 1 : 25

  return {
    filled(share) {
      const percent = Math.floor((share * 100) / step) * step
      // A task that is complete from the beginning has no progress line.
      if (percent <= reportedPercent || (reportedPercent < 0 && share >= 1)) return
      reportedPercent = percent
      const text = `  ${what} … ${percent} %`
      output.write(output.isTTY ? `\r${text}` : `${text}\n`)
      isLineOpen = output.isTTY === true
    },
    line(text) {
      output.write(`${isLineOpen ? '\n' : ''}  ${text}\n`)
      isLineOpen = false
    },
  }
}
