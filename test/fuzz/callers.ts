import { companyCommand, printed } from '../support/company-command.ts'
import { testKey } from '../support/service.ts'

/** Authentication headers of each kind of caller. */
export type Callers = readonly Readonly<Record<string, string>>[]

const narrowScopes = [
  ['reporting'],
  ['machine.read'],
  ['erp'],
  ['annotation'],
  ['operator'],
  ['ingest.activity'],
  ['user'],
]

/** Callers of every kind: without a key, with a guessed key, the administrator's key, a signed-in user, and a key for each of a few scopes. */
export async function makeCallers(url: string, env: Readonly<Record<string, string>>): Promise<Callers> {
  const email = 'fuzz@example.com'
  const given = printed(await companyCommand(env, 'add-user', email, '--role', 'it_admin'), 'Password')
  const cookie = await signIn(url, email, given)
  const user = { cookie, 'sec-fetch-site': 'same-origin' }
  const keys: string[] = []
  for (const scopes of narrowScopes) keys.push(await makeKey(url, user, scopes))
  const admin = { authorization: `Bearer ${testKey}` }
  return [
    {},
    { authorization: 'Bearer takt_nobody' },
    { authorization: `Bearer${' '.repeat(8000)}x` },
    admin,
    admin,
    admin,
    admin,
    user,
    ...keys.map(key => ({ authorization: `Bearer ${key}` })),
  ]
}

async function signIn(url: string, email: string, given: string): Promise<string> {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const response = await fetch(`${url}/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email, password: given }),
  })
  if (response.status !== 200) throw new Error(`Signing in answers ${response.status}`)
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

async function makeKey(
  url: string,
  user: Readonly<Record<string, string>>,
  scopes: readonly string[],
): Promise<string> {
  const headers = { ...user, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: scopes.join(' '), scopes })
  const response = await fetch(`${url}/api-keys`, { method: 'POST', headers, body })
  const { key }: { readonly key?: string } = JSON.parse(await response.text())
  if (key === undefined) throw new Error(`A key for ${scopes.join(', ')} answers ${response.status}`)
  return key
}
