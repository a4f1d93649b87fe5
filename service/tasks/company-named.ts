import { ApiError } from '../../schema/errors.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { ServiceContext } from '../context.ts'

/** Finds a company by name or id; null: the only company. Throws an `ApiError` if none or several match. */
export function findCompany(nameOrId: string | null, { records }: Pick<ServiceContext, 'records'>): CompanyRecord {
  const companies = records.companies()
  if (companies.length === 0)
    throw new ApiError(404, 'NotFound', 'No company yet: the first start of the service creates one')
  const named = companies.filter(
    ({ id, settings }) => nameOrId === null || nameOrId === id || nameOrId === settings.companyName,
  )
  const [company, ...others] = named
  if (!company) throw new ApiError(404, 'NotFound', `Unknown company '${nameOrId}'`)
  if (others.length === 0) return company
  const ids = named.map(({ id, settings }) => `${id} (${settings.companyName})`).join(', ')
  throw new ApiError(409, 'Conflict', `Several companies match. Name one by its id: ${ids}`)
}
