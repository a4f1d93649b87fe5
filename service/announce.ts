/** The stream to which progress is written, such as stdout. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Writes the progress of the start. */
export interface StartupProgress {
  /** Writes the progress of a task, 0 to 1: one line that changes on a terminal, otherwise one line per quarter. */
  progress(share: number): void
  writeLine(text: string): void
}

/** Writes the progress of the start as lines of text; `what` names the task. */
export function createStartupProgress(output: ProgressOutput, what: string): StartupProgress {
  let reportedPercent = -1
  let isLineOpen = false
  const step = output.isTTY ? 1 : 25

  return {
    progress(share) {
      const percent = Math.floor((share * 100) / step) * step
      // A task that is complete from the beginning has no progress line.
      if (percent <= reportedPercent || (reportedPercent < 0 && share >= 1)) return
      reportedPercent = percent
      const text = `  ${what} … ${percent}%`
      output.write(output.isTTY ? `\r${text}` : `${text}\n`)
      isLineOpen = output.isTTY === true
    },
    writeLine(text) {
      output.write(`${isLineOpen ? '\n' : ''}  ${text}\n`)
      isLineOpen = false
    },
  }
}
