import { companyOf } from '../../schema/records/company-of.ts'
import type { Change } from '../../schema/records/record-kinds.ts'

/**
 * Returns the id of the company to which a changed record belongs, '' for records of the installation. Commands of the
 * installation may change records of a company, so the record decides if the command has no company. A command of a company
 * may raise the format of the installation.
 */
export function companyOfChange({ kind, id, before, after }: Change, commandCompany: string | null): string {
  if (kind === 'company') return id
  if (kind === 'installation') return ''
  const record = after ?? before
  return commandCompany ?? (record ? companyOf(record) : '')
}
