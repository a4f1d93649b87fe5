import { named, partial, text } from '../../schema/types.ts'
import type { Access } from '../auth/access.ts'
import { anyKey } from '../auth/scopes.ts'
import { issueUserToken } from '../auth/user-token.ts'
import { route } from '../http/route.ts'
import { submit } from '../commands/submit.ts'
import type { ClockPort, CommandsPort } from '../ports/ports.ts'

interface TokenDeps extends CommandsPort, ClockPort {
  readonly access: Pick<Access, 'companyWithSecret'>
}

const getUserToken = route({
  method: 'GET',
  path: '/user-token',
  operationId: 'getUserToken',
  summary: 'A token for the key or the session, valid for an hour',
  description:
    'A JWT with the company and the scopes of the key or the user. It is accepted instead of a key, and for CSV files also in the query (`?token=`). It ends with its key or session, and cannot manage keys and users.',
  scope: anyKey,
  query: partial({ graphql: { ...text, description: 'Ignored' } }),
  output: named('UserToken', { ...text }),
  async handle({ caller }, deps: TokenDeps) {
    const asking = caller()
    const { id } = asking.company
    const secretOf = () => deps.access.companyWithSecret(id)
    if ((await secretOf())?.tokenSecret === undefined) await submit(deps, asking, 'token-secret.make', {})
    return issueUserToken({ ...asking, company: (await secretOf()) ?? asking.company }, deps.clock())
  },
})

export const userTokenRoutes = [getUserToken]
