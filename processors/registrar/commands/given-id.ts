import { invalidField } from '../deciding/refusal.ts'
import type { CompanyRefKind } from '../deciding/refs.ts'
import type { CompanyContext } from '../deciding/command.ts'

const highestId = 2_000_000_000
/** The highest id that a client may choose: room must stay above it for ids that are given out. */
const highestChosen = 1_000_000_000

/** The integer id of a record: the requested one, or the next one of the company. Each company has its own sequence. */
export function intIdFor(
  kind: CompanyRefKind,
  given: number | null | undefined,
  { company, refs }: CompanyContext,
): number {
  if (given === null || given === undefined) {
    const next = refs.nextOfCompany(kind, company.id)
    if (next > highestId) throw invalidField('id', 'OutOfRange', 'There is no id left')
    return next
  }
  if (given > highestChosen && !refs.wasGiven(kind, company.id, given))
    throw invalidField('id', 'OutOfRange', `A new id must be at most ${highestChosen}`)
  return given
}
