import { companyCommand, printed } from '../support/company-command.ts'
import type { RecordedRequest } from './plant.ts'

const email = 'admin@plant.example'

/**
 * Creates a user of a running service with `npm run company`, and a key as this user does. Returns requests with the password and
 * the key.
 */
export async function createIdentities(
  settings: Readonly<Record<string, string>>,
  url: string,
): Promise<readonly RecordedRequest[]> {
  const output = await companyCommand(settings, 'add-user', email, '--role', 'it_admin')
  const credentials = { email, password: printed(output, 'Password') }
  const session = await post(`${url}/session`, credentials, {})
  const cookie = session.headers.getSetCookie().map(each => each.split(';')[0])
  const made = await post(
    `${url}/api-keys`,
    { name: 'Dashboards', scopes: ['reporting'] },
    { cookie: cookie.join('; ') },
  )
  const { key }: { readonly key: string } = JSON.parse(await made.text())
  return [
    { method: 'POST', path: '/session', body: credentials },
    { method: 'GET', path: '/accounts/current', key },
  ]
}

async function post(url: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Response> {
  const origin = new URL(url).origin
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`)
  return response
}
