import { expect } from 'chai'
import { generateKey, hashKey } from '../../api/auth/key.ts'
import { routes } from '../../api/create-api.ts'
import type { Role } from '../../schema/roles.ts'
import { type Scope, scopes } from '../../schema/scopes.ts'
import { type CallInit, startApi, type TestApi } from '../support/api.ts'
import { type Rule, rules } from './scopes-of-routes.ts'

const operatorScopes: readonly Scope[] = [
  'annotation',
  'operator',
  'part-adjustment',
  'machine.read',
  'reporting',
  'erp.read',
  'incident',
  'incident.read',
]
const scopesByRole: Readonly<Record<Role, readonly Scope[]>> = {
  it_admin: scopes,
  executive: scopes,
  manager: scopes,
  operator: operatorScopes,
}

/** A caller with its scopes, and the role of a user. */
interface Requester {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly role: Role | null
  readonly with: CallInit
}

describe('the scopes of every route', function () {
  let api: TestApi
  let strangers: readonly { readonly name: string; readonly with: CallInit }[]
  let keys: readonly Requester[]

  before(async () => {
    api = await startApi({ settings: { requestsPerMinute: 0, guessesPerAddress: 1_000_000 } })
    strangers = [
      { name: 'without a key', with: { key: null } },
      { name: 'with a wrong key', with: { key: generateKey() } },
      { name: 'with a disabled key', with: { key: await disabledKey(api) } },
      { name: 'with a deleted key', with: { key: await deletedKey(api) } },
    ]
    const held = [[], ...scopes.map(scope => [scope]), ['part-adjustment', 'reporting'], scopes] as const
    keys = held.map(some => ({
      name: `with a key for ${some.join(', ') || 'nothing'}`,
      scopes: some,
      role: null,
      with: { key: api.addKey(some) },
    }))
  })
  after(() => api.close())

  /** DELETE /session would end a session of the other tests. */
  const users = () =>
    Promise.all(
      (['it_admin', 'executive', 'manager', 'operator'] as const).map(async (role): Promise<Requester> => {
        const { cookie } = await api.signIn(role)
        return { name: `as ${role}`, scopes: scopesByRole[role], role, with: { cookie } }
      }),
    )

  const statusOf = async (method: string, path: string, init: CallInit): Promise<number> => {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    // GraphQL returns error statuses only for this media type.
    const headers = path.endsWith('/graphql') ? { accept: 'application/graphql-response+json' } : {}
    const named = path.replace(':id', 'f4e1b9d2-0c5a-4f0e-8f57-0d8a3b6c9e21')
    const answer = await api.call(method, named, body, { ...init, headers })
    return answer.status
  }

  it('Every route has a rule, and every rule has a route', () => {
    const served = routes.map(({ method, path }) => `${method} ${path}`)
    expect(
      served.filter(name => !(name in rules)),
      'routes without a rule',
    ).to.deep.equal([])
    const unserved = Object.keys(rules).filter(name => !served.includes(name))
    expect(unserved, 'rules without a route').to.deep.equal([])
  })

  for (const { method, path } of routes) {
    const name = `${method} ${path}`
    it(`${name} allows exactly the callers of its rule`, async () => {
      const rule = rules[name]
      if (rule === undefined) throw new Error('There is no rule')
      for (const stranger of strangers) {
        const status = await statusOf(method, path, stranger.with)
        if (rule === 'public') expect(status, stranger.name).not.to.be.oneOf([401, 403])
        else expect(status, stranger.name).to.equal(401)
      }
      for (const asker of [...keys, ...(await users())]) {
        const status = await statusOf(method, path, asker.with)
        if (isWithoutToken(rule, asker)) expect(status, asker.name).to.equal(401)
        else if (permitted(rule, asker)) expect(status, asker.name).not.to.be.oneOf([401, 403])
        else expect(status, asker.name).to.equal(403)
      }
    })
  }
})

/** Users authenticate with a cookie. */
function isWithoutToken(rule: Rule, { role }: Requester): boolean {
  return typeof rule === 'object' && 'by' in rule && role !== null
}

function permitted(rule: Rule, { scopes: held, role }: Pick<Requester, 'scopes' | 'role'>): boolean {
  if (rule === 'public' || rule === 'any key') return true
  if ('roles' in rule) return role !== null && rule.roles.includes(role)
  const holds = (scope: Scope): boolean =>
    held.some(each => each === scope || (scope.endsWith('.read') && `${each}.read` === scope))
  return 'oneOf' in rule ? rule.oneOf.some(holds) : rule.allOf.every(holds)
}

async function disabledKey(api: TestApi): Promise<string> {
  const { key, id } = keyOf(api)
  await api.registrar.perform('key.patch', { id, disabled: true })
  return key
}

async function deletedKey(api: TestApi): Promise<string> {
  const { key, id } = keyOf(api)
  await api.registrar.perform('key.delete', { id })
  return key
}

function keyOf(api: TestApi): { readonly key: string; readonly id: string } {
  const key = api.addKey(scopes)
  return { key, id: api.registrar.records.keyByHash(hashKey(key))?.id ?? '' }
}
