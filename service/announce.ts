/** Destination of the start's progress, such as stdout. */
export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export interface Announcer {
  /**
   * Reports the filled share of the simulated history, 0 to 1: a line that changes on a terminal, otherwise a line per
   * quarter.
   */
  filled(share: number): void
  /** Writes a line. */
  line(text: string): void
}

/** Reports the progress of the start as lines of text. */
export function createAnnouncer(output: Output, what: string): Announcer {
  let reportedPercent = -1
  let isLineOpen = false
  const step = output.isTTY ? 1 : 25

  return {
    filled(share) {
      const percent = Math.floor((share * 100) / step) * step
      // A history without gaps needs no line.
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
