/** Somewhere to write to, such as stdout. */
export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export interface Announcer {
  /** The share of the past that is filled, 0 to 1: one line that changes on a terminal, a line for every quarter elsewhere. */
  filled(share: number): void
  /** A line of its own. */
  line(text: string): void
}

/** Tells a reader how the start goes on. */
export function createAnnouncer(output: Output, what: string): Announcer {
  let told = -1
  let isLineOpen = false
  const step = output.isTTY ? 1 : 25

  return {
    filled(share) {
      const percent = Math.floor((share * 100) / step) * step
      // Where nothing was missed there is nothing to tell.
      if (percent <= told || (told < 0 && share >= 1)) return
      told = percent
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
