import { type FieldError, fieldError } from '../../../schema/errors.ts'
import type { CompanyRecords } from '../deciding/command.ts'

/** Names of kinds of records in messages. */
const nouns = {
  machine: 'Machine',
  machineGroup: 'Machine group',
  schedule: 'Schedule',
  operator: 'Operator',
  downtimeReason: 'Downtime reason',
  partAdjustmentType: 'Part adjustment type',
  connector: 'Connector',
  alertRule: 'Alert rule',
} as const

/** Returns the error of a field that names a record that the company does not have; null and undefined name none. */
export function findMissing(
  field: string,
  kind: keyof typeof nouns,
  id: string | number | null | undefined,
  { company, records }: CompanyRecords,
): readonly FieldError[] {
  if (id === null || id === undefined || records.get(kind, company.id, id)) return []
  const shown = typeof id === 'string' ? `'${id}'` : id
  return [fieldError(field, 'InvalidDataItem', `${nouns[kind]} ${shown} does not exist`)]
}

/** Returns an error for each id in a list, in the form of `findMissing`. */
export function findAllMissing(
  field: string,
  kind: keyof typeof nouns,
  ids: readonly string[],
  context: CompanyRecords,
): readonly FieldError[] {
  return ids.flatMap((id, index) => findMissing(`${field}[${index}]`, kind, id, context))
}
