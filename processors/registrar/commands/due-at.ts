import { dayNumber, isLocalDate } from '../../../shared/time/local-date.ts'
import { instantText, toInstantOrNull } from '../../../shared/time/instant.ts'
import { createZone } from '../../calendar/zone.ts'
import type { CompanyContext } from '../deciding/command.ts'

/** Converts the due date of a request to an instant: a date is 00:00 in the company's time zone. */
export function toDueAt(text: string | null | undefined, { company }: Pick<CompanyContext, 'company'>): string | null {
  if (typeof text !== 'string' || !isLocalDate(text)) return toInstantOrNull(text)
  return instantText(createZone(company.settings.timeZone).instantOf(dayNumber(text), 0))
}
