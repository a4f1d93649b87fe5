import { expect } from 'chai'
import type { Account } from '../../schema/requests/account.ts'
import { joined } from '../support/live-client.ts'
import { type OAuthProvider, startOAuthProvider } from '../support/oauth-provider.ts'
import { caller, startService, type TestService } from '../support/service.ts'
import { addMachine, shapeOf } from '../api/live/plant.ts'

const someRequests = 40

interface Asked {
  readonly data?: { readonly machines: readonly { readonly machineId: string }[] } | null
  readonly errors?: readonly object[]
}

describe('access tokens of an OAuth provider', function () {
  let provider: OAuthProvider
  let service: TestService
  let sign: (scope: string, sub?: string) => Promise<string>

  before(async () => {
    provider = await startOAuthProvider()
    const { jwksUrl, issuer, audience } = provider.settings
    service = await startService({
      env: {
        TAKT_OAUTH_JWKS_URL: jwksUrl,
        TAKT_OAUTH_ISSUER: issuer,
        TAKT_OAUTH_AUDIENCE: audience,
        TAKT_RATE_LIMIT: String(someRequests),
      },
    })
    sign = (scope, sub = 'ada') => provider.sign({ company: service.companyId, name: 'Ada', scope, sub })
  })
  after(async () => {
    provider?.close()
    await service?.stop()
  })

  it('An access token gives access to the routes of its scopes and to its company', async () => {
    const machineId = await addMachine(service)
    const call = caller(service.url, await sign('reporting openid'))
    const machines = shapeOf<{ readonly id: string }[]>((await call('GET', '/machines')).body)
    expect(machines.map(({ id }) => id)).to.include(machineId)
    const account = shapeOf<Account>((await call('GET', '/accounts/current')).body)
    expect(account).to.deep.include({ id: 'oauth:ada', displayName: 'Ada', companyId: service.companyId })
    expect(account.scopes).to.deep.equal(['reporting'])
    expect((await call('PUT', `/machines/${machineId}`, { name: 'Mine' })).status).to.equal(403)
    expect((await call('GET', '/users')).status).to.equal(403)
    expect((await caller(service.url, `${await sign('reporting')}x`)('GET', '/machines')).status).to.equal(401)
    const foreign = await provider.sign({ company: 'another', scope: 'reporting' })
    expect((await caller(service.url, foreign)('GET', '/machines')).status).to.equal(401)
  })

  it('Changes by an access token are in the audit trail under its subject', async () => {
    const machineId = await addMachine(service)
    const call = caller(service.url, await sign('machine', 'grace'))
    expect((await call('PUT', `/machines/${machineId}`, { name: 'Renamed' })).status).to.equal(200)
    await service.settled()
    const { body } = await service.call('GET', '/audit?limit=5')
    expect(JSON.stringify(body)).to.contain('oauth:grace')
  })

  it('A user token for files ends with the leeway of the access token that it was requested with', async () => {
    const token = await provider.sign({ company: service.companyId, scope: 'reporting' }, { expires: '2m' })
    const { body: userToken } = await caller(service.url, token)('GET', '/user-token')
    const { exp }: { exp: number } = JSON.parse(
      Buffer.from(String(userToken).split('.')[1] ?? '', 'base64url').toString(),
    )
    expect(exp - Date.now() / 1000).to.be.within(60, 181)
    const report = { startDay: '2026-03-02', endDay: '2026-03-02', data: [{ metric: 'oee' }], csv: true }
    const made = await caller(service.url, token)('POST', '/reports/production', report)
    const { csv } = shapeOf<{ readonly csv: { readonly url: string } }>(made.body)
    const file = await fetch(`${csv.url}?token=${String(userToken)}`)
    expect(file.status).to.equal(200)
    expect(await file.text()).to.contain('oee')
    expect((await caller(service.url, String(userToken))('GET', '/machines')).status).to.equal(200)
  })

  it('An access token gives access to GraphQL only with the required scope', async () => {
    const machineId = await addMachine(service)
    const ask = async (scope: string) => {
      const call = caller(service.url, await sign(scope))
      return shapeOf<Asked>((await call('POST', '/graphql', { query: '{ machines { machineId } }' })).body)
    }
    expect((await ask('reporting')).data?.machines).to.deep.include({ machineId })
    const refused = await ask('operator')
    expect(refused.data?.machines ?? null).to.equal(null)
    expect(refused.errors).to.have.length(1)
  })

  it('An access token opens live channels', async () => {
    const client = await joined('plain', service.url, 'status', await sign('machine.read'))
    client.close()
  })

  it('Each subject of access tokens has its own rate limit', async () => {
    const status = async (token: string) => (await caller(service.url, token)('GET', '/accounts/current')).status
    const [one, again, other] = [
      await sign('reporting', 'alan'),
      await sign('erp', 'alan'),
      await sign('reporting', 'kurt'),
    ]
    for (let request = 0; request < someRequests; request++) expect(await status(one)).to.equal(200)
    expect([await status(again), await status(other)]).to.deep.equal([429, 200])
  })
})
