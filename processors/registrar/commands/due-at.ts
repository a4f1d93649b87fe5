import { dayNumber, isLocalDate } from '../../../shared/time/local-date.ts'
import { instantText, toInstantOrNull } from '../../../shared/time/instant.ts'
import { createZone } from '../../calendar/zone.ts'
import type { CompanyContext } from '../deciding/command.ts'

/** Converts the due date of a request to an instant: a date is 00:00 in the company's time zone. */
export function toDueAt(given: string | null | undefined, { company }: Pick<CompanyContext, 'company'>): string | null {
  if (typeof given !== 'string' || !isLocalDate(given)) return toInstantOrNull(given)
  return instantText(createZone(company.settings.timeZone).instantOf(dayNumber(given), 0))
}
