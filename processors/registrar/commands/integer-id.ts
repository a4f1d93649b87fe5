import { invalidField } from '../deciding/command-rejection.ts'
import type { CompanyRefKind } from '../deciding/refs.ts'
import type { CompanyContext } from '../deciding/command.ts'

const maxId = 2_000_000_000
/** The highest new id that a client may choose: ids above it are reserved for assignment by the registrar. */
const maxChosenId = 1_000_000_000

/**
 * Returns the integer id of a record: the requested one, or the next one of the company. Each company has its own
 * sequence.
 */
export function resolveIntegerId(
  kind: CompanyRefKind,
  requested: number | null | undefined,
  { company, refs }: CompanyContext,
): number {
  if (requested === null || requested === undefined) {
    const next = refs.nextOfCompany(kind, company.id)
    if (next > maxId) throw invalidField('id', 'OutOfRange', `No ids left: maximum is ${maxId}`)
    return next
  }
  if (requested > maxChosenId && !refs.isAssigned(kind, company.id, requested))
    throw invalidField('id', 'OutOfRange', `A new id must be at most ${maxChosenId}`)
  return requested
}
