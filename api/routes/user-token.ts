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
  summary: 'A token that stands for the key or the session for an hour',
  description:
    'A JWT with the company and the scopes of the key or the user, taken wherever a key is, and by the CSV files in the query (`?token=`). It ends with its key or session; keys and users are not managed with it.',
  scope: anyKey,
  query: partial({ graphql: { ...text, description: 'Makes no difference' } }),
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
