import { type IncidentChangeInput, maxIncidentChanges } from '../../schema/commands/incident-commands.ts'
import { inSizedParts } from '../../shared/collections/in-sized-parts.ts'
import { hourMs, minuteMs } from '../../shared/time/units.ts'

/** Limit of the documents that are read together: those of two hours of 1,000 machines. */
const maxHoursPerRead = 2_000
/** Limit of the histories that are read together, as a multiple of the shortest one of them, and shortest time that is compared, ms. */
const [maxRatio, minLengthMs] = [2, 10 * minuteMs]
/** Limit of the JSON of the changes of one command, UTF-16 units: the log accepts a record of 8 MiB. */
const maxChars = 1_000_000

/**
 * Divides machines into those whose histories up to a limit, UTC ms, are read together from the earliest start of them:
 * a machine with a long history is not read together with those that need the last hours only.
 */
export function* partsToRead<Machine extends { readonly fromMs: number }>(
  machines: readonly Machine[],
  limitMs: number,
): Generator<readonly Machine[]> {
  let part: Machine[] = []
  for (const machine of machines.toSorted((a, b) => b.fromMs - a.fromMs)) {
    const lengthMs = limitMs - machine.fromMs
    const maxLengthMs = maxRatio * Math.max(minLengthMs, limitMs - (part[0] ?? machine).fromMs)
    const isTooMuch = (part.length + 1) * (lengthMs / hourMs + 1) > maxHoursPerRead
    if (part.length > 0 && (isTooMuch || lengthMs > maxLengthMs)) {
      yield part
      part = []
    }
    part.push(machine)
  }
  if (part.length > 0) yield part
}

/** Divides changes into those of one command, in order. */
export function partsToSubmit<Item extends { readonly change: IncidentChangeInput }>(
  changes: readonly Item[],
): Generator<readonly Item[]> {
  return inSizedParts(changes, {
    length: maxIncidentChanges,
    size: maxChars,
    sizeOf: ({ change }) => JSON.stringify(change).length,
  })
}
