import { invalidField, missing } from '../refusal.ts'
import type { CompanyContext } from '../command.ts'

const highestId = 2_000_000_000
/** Whoever chooses an id must leave room above it for those that are given out. */
const highestChosen = 1_000_000_000

/**
 * The int id of a record that is put: the one given, if it is the company's own or nobody's ever (404 otherwise), else the next.
 */
export function intIdFor(
  kind: 'downtimeReason' | 'partAdjustmentType',
  given: number | null | undefined,
  { company, ownerOf, nextRef }: CompanyContext,
): number {
  if (given === null || given === undefined) {
    const next = nextRef(kind)
    if (next > highestId) throw invalidField('id', 'OutOfRange', 'There is no id left')
    return next
  }
  const owner = ownerOf(kind, given)
  if (owner !== null && owner !== company.id) throw missing()
  if (owner === null && given > highestChosen)
    throw invalidField('id', 'OutOfRange', `A new id must be at most ${highestChosen}`)
  return given
}
