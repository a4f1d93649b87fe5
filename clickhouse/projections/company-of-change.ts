import { companyOf } from '../../schema/records/company-of.ts'
import type { Change } from '../../schema/records/record-kinds.ts'

/** Whose a record is, '' for no company's: a command of the installation itself may make a company's records; claims belong to none. */
export function companyOfChange({ kind, id, before, after }: Change, commandCompany: string | null): string {
  if (kind === 'company') return id
  const record = after ?? before
  return commandCompany ?? (record ? companyOf(record) : '')
}
