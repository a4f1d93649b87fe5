import { jsonOfWord, type Entries } from '../../ingest/shdr/data-set.ts'
import { unavailableValue } from '../../processors/timeline/values.ts'
import type { MachineItem } from './machine-items.ts'
import type { StreamEntry, StreamObservation } from './observations.ts'

/** Returns the entries of an observation as JSON; of repeated keys the first counts. */
export function entriesOf({ entries }: StreamObservation): Entries {
  const changes = new Map<string, string | null>()
  for (const entry of entries) {
    const key = JSON.stringify(entry.key)
    if (!changes.has(key)) changes.set(key, entry.isRemoved ? null : jsonOfEntry(entry))
  }
  return changes
}

function jsonOfEntry({ value, cells }: StreamEntry): string {
  if (cells === null) return jsonOfWord(value)
  return `{${cells.map(cell => `${JSON.stringify(cell.key)}:${jsonOfWord(cell.value)}`).join(',')}}`
}

/** Returns the keys and values of the changed entries that become samples of their own. */
export function expandedValues(
  { expanded }: MachineItem,
  changes: Entries,
): readonly { readonly key: string; readonly value: string }[] {
  return [...expanded].flatMap(([entry, key]) => {
    const json = changes.get(JSON.stringify(entry))
    if (json === undefined) return []
    const parsed: unknown = json === null ? unavailableValue : JSON.parse(json)
    return [{ key, value: typeof parsed === 'string' ? parsed : (json ?? '') }]
  })
}
