import { account } from '../../schema/requests/account.ts'
import { anyKey } from '../auth/scopes.ts'
import { route } from '../http/route.ts'

const getAccount = route({
  method: 'GET',
  path: '/accounts/current',
  operationId: 'getCurrentAccount',
  summary: 'The caller and its rights',
  scope: anyKey,
  output: account,
  handle({ caller }) {
    const { kind, id, name, scopes, company } = caller()
    const { companyName, timeZone, startOfDay } = company.settings
    return {
      id: kind === 'key' ? 'user-from-api-key' : id,
      displayName: name,
      companyId: company.id,
      company: { id: company.id, name: companyName, timeZone, startOfDay },
      scopes,
    }
  },
})

export const accountRoutes = [getAccount]
