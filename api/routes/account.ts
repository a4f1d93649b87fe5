import { account } from '../../schema/requests/account.ts'
import { anyKey } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import { named, partial, text } from '../../schema/types.ts'
import type { Access } from '../auth/access.ts'
import { issueUserToken } from '../auth/user-token.ts'
import { submit } from '../commands/submit.ts'
import type { ClockPort, CommandsPort } from '../ports/ports.ts'

const getAccount = route('GET /accounts/current', 'getCurrentAccount', {
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

interface TokenDeps extends CommandsPort, ClockPort {
  readonly access: Pick<Access, 'companyWithSecret'>
}

const getUserToken = route('GET /user-token', 'getUserToken', {
  summary: 'A token for the key or the session, valid for an hour',
  description:
    'A JWT with the company and the scopes of the key or the user. It is accepted instead of a key, and for CSV files also in the query (`?token=`). It ends with its key or session, and cannot manage keys and users.',
  scope: anyKey,
  query: partial({ graphql: { ...text, description: 'Ignored' } }),
  output: named('UserToken', { ...text }),
  async handle({ caller }, deps: TokenDeps) {
    const requester = caller()
    const { id } = requester.company
    const secretOf = () => deps.access.companyWithSecret(id)
    if ((await secretOf())?.tokenSecret === undefined) await submit(deps, requester, 'token-secret.make', {})
    return issueUserToken({ ...requester, company: (await secretOf()) ?? requester.company }, deps.clock())
  },
})

export const accountRoutes = [getAccount, getUserToken]
