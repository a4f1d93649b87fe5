/** Why tests were skipped, told once at the end of the run. */
const reasons = new Map<string, string>()

/** Notes that tests of something can't run here. `mend`: what makes them run. */
export function noteSkipped(what: string, mend: string): void {
  if (reasons.size === 0) process.once('exit', tell)
  reasons.set(what, mend)
}

function tell(): void {
  const lines = [...reasons].map(([what, mend]) => `  - ${what}: ${mend}`)
  process.stderr.write(`\nSkipped, as something is missing here:\n${lines.join('\n')}\n`)
}
