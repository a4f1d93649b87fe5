import type { Findings, KeyFinding, PartSettings } from '../../ingest/shdr/findings.ts'
import type { ReplaySummary } from '../../ingest/shdr/replay-log.ts'

/** Limit of the keys in one line of output. Keys with the most samples come first. */
const maxKeys = 20

/**
 * Formats the result of a replay: the number of samples, the keys that determine state, spindle, parts and alarms, and
 * the problems.
 */
export function formatReplay(summary: ReplaySummary, findings: Findings, { partCounter }: PartSettings): string {
  const { lines, passedOver, accepted, rejected } = summary
  const { state, spindle, parts, alarms, problems, unknownKeys } = findings
  return [
    `lines read: ${lines}, of which skipped: ${passedOver}`,
    `samples accepted: ${accepted}`,
    `samples rejected: ${listed(Object.entries(rejected).map(([code, count]) => `${code} ${count}`))}`,
    `samples of unknown keys: ${listed(byDescendingSamples(unknownKeys).map(withExample))}`,
    `state: ${listed(byDescendingSamples(state).map(withType))}`,
    `spindle: ${listed(byDescendingSamples(spindle).map(withType))}`,
    `parts (${partCounter}): ${listed(byDescendingSamples(parts).map(withType))}`,
    `alarms: ${listed(byDescendingSamples(alarms).map(withType))}`,
    ...problems.map(problem => `PROBLEM: ${problem}`),
  ].join('\n')
}

function byDescendingSamples(keys: readonly KeyFinding[]): readonly KeyFinding[] {
  return keys.toSorted((one, other) => other.samples - one.samples)
}

function withType({ key, type, samples }: KeyFinding): string {
  return `${key} (${type}) ${samples}`
}

function withExample({ key, samples, example }: KeyFinding): string {
  return `${key} ${samples}${example === '' ? '' : ` (${example})`}`
}

function listed(texts: readonly string[]): string {
  if (texts.length === 0) return 'none'
  const more = texts.length - maxKeys
  return texts.slice(0, maxKeys).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
