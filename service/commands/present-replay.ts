import type { Findings, KeyFinding, PartSettings } from '../../ingest/shdr/findings.ts'
import type { ReplaySummary } from '../../ingest/shdr/replay-log.ts'

/** Limit of the keys in one line of output. Keys with the most samples come first. */
const maxKeys = 20

/**
 * Formats the result of a replay: the number of samples, the keys that determine state, spindle, parts and alarms, and
 * the problems.
 */
export function formatReplay(summary: ReplaySummary, findings: Findings, { partCounter }: PartSettings): string {
  const { lines, passedOver, accepted, rejected, otherDevices, duplicates, backwards } = summary
  const { state, spindle, parts, alarms, problems, unknownKeys } = findings
  return [
    `lines read: ${lines}, of which skipped: ${passedOver}`,
    `samples accepted: ${accepted}`,
    `samples rejected: ${listed(Object.entries(rejected).map(([code, count]) => `${code} ${count}`))}`,
    ...(duplicates > 0 ? [`duplicates (time and content of the previous sample of the key): ${duplicates}`] : []),
    ...(backwards > 0 ? [`samples with a time before that of the previous sample of the key: ${backwards}`] : []),
    ...otherDevicesLine(Object.entries(otherDevices)),
    `samples of unknown keys: ${listed(byDescendingSamples(unknownKeys).map(withExample))}`,
    `state: ${listed(byDescendingSamples(state).map(withType))}`,
    `spindle: ${listed(byDescendingSamples(spindle).map(withType))}`,
    `parts (${partCounter}): ${listed(byDescendingSamples(parts).map(withType))}`,
    `alarms: ${listed(byDescendingSamples(alarms).map(withType))}`,
    ...problems.map(problem => `PROBLEM: ${problem}`),
  ].join('\n')
}

function otherDevicesLine(devices: readonly (readonly [string, number])[]): readonly string[] {
  return devices.length > 0
    ? [`not sent, of other devices: ${listed(devices.map(([name, count]) => `${name} ${count}`))}`]
    : []
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
