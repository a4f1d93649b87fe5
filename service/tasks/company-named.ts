import { ApiError } from '../../schema/errors.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { ServiceContext } from '../context.ts'

/** The company of this name or id; null: the only one. Throws an `ApiError` where there is none, or several. */
export function companyNamed(given: string | null, { records }: Pick<ServiceContext, 'records'>): CompanyRecord {
  const companies = records.companies()
  if (companies.length === 0)
    throw new ApiError(404, 'NotFound', 'No company yet: the first start of the service makes one')
  const named = companies.filter(({ id, settings }) => given === null || given === id || given === settings.companyName)
  const [company, ...others] = named
  if (!company) throw new ApiError(404, 'NotFound', `There is no company '${given}'`)
  if (others.length === 0) return company
  const ids = named.map(({ id, settings }) => `${id} (${settings.companyName})`).join(', ')
  throw new ApiError(409, 'Conflict', `Several companies could be meant; name one by its id: ${ids}`)
}
