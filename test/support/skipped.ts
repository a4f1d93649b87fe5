/** Reasons of skipped tests, printed once at the end of the run. */
const reasons = new Map<string, string>()

/** Records that some tests cannot run here. `mend`: the action that makes them run. */
export function noteSkipped(what: string, mend: string): void {
  if (reasons.size === 0) process.once('exit', tell)
  reasons.set(what, mend)
}

function tell(): void {
  const lines = [...reasons].map(([what, mend]) => `  - ${what}: ${mend}`)
  process.stderr.write(`\nSkipped, as something is missing here:\n${lines.join('\n')}\n`)
}
