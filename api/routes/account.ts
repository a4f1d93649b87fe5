import { account } from '../../schema/api/account.ts'
import { anyKey } from '../auth/scopes.ts'
import { route } from '../http/route.ts'

const getAccount = route({
  method: 'GET',
  path: '/accounts/current',
  summary: 'Who the key is, and what it may do',
  scope: anyKey,
  output: account,
  handle({ caller }) {
    const { key, company } = caller()
    const { companyName, timeZone } = company.settings
    return {
      id: 'user-from-api-key' as const,
      displayName: key.name,
      companyId: company.id,
      company: { id: company.id, name: companyName, timeZone },
      scopes: key.scopes,
    }
  },
})

export const accountRoutes = [getAccount]
