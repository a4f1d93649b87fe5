import { expect } from 'chai'
import { isPlausibleKey } from '../../../api/auth/key.ts'
import type { ApiKey, CreatedApiKey } from '../../../schema/requests/api-key.ts'
import { faultsOf, shaped, startApi, type TestApi } from '../../support/api.ts'

describe('API keys over HTTP', () => {
  let api: TestApi
  let cookie: string
  beforeEach(async () => {
    api = await startApi()
    ;({ cookie } = await api.signIn('executive'))
  })
  afterEach(() => api.close())

  const call = (method: string, path: string, body?: unknown) => api.call(method, path, body, { cookie })
  const make = async (scopes: readonly string[] = ['machine.read']) =>
    shaped<CreatedApiKey>(await call('POST', '/api-keys', { name: 'BI', scopes }))
  const status = async (key: string, path = '/settings') => (await api.call('GET', path, undefined, { key })).status

  it('The value of an API key is returned only at its creation', async () => {
    const { key, ...shown } = await make()
    expect(isPlausibleKey(key)).to.equal(true)
    expect(shown).to.include({ name: 'BI', lastUsedAt: null, disabledAt: null })
    expect(shown.scopes).to.deep.equal(['machine.read'])
    const list = await call('GET', '/api-keys')
    expect(shaped<ApiKey[]>(list).at(-1)).to.deep.equal(shown)
    expect(JSON.stringify(list.body)).not.to.match(/hash|takt_/)
  })

  it('A change of an API key takes effect immediately, and a disabled or deleted key is rejected', async () => {
    const { key, id } = await make()
    const patch = (body: object) => call('PATCH', `/api-keys/${id}`, body)
    expect(await status(key)).to.equal(200)
    expect((await patch({ scopes: ['reporting'], name: 'Reports' })).body).to.deep.include({
      name: 'Reports',
      scopes: ['reporting'],
    })
    expect(await status(key)).to.equal(403)
    expect((await patch({ disabled: true })).body)
      .to.have.property('disabledAt')
      .that.is.a('string')
    expect(await status(key, '/accounts/current')).to.equal(401)
    expect((await patch({ disabled: false })).body).to.have.property('disabledAt', null)
    expect(await status(key, '/accounts/current')).to.equal(200)
    expect((await call('DELETE', `/api-keys/${id}`)).body).to.equal(null)
    expect(await status(key, '/accounts/current')).to.equal(401)
    expect((await patch({ name: 'Gone' })).status).to.equal(404)
  })

  it('A token of a disabled or deleted key is rejected', async () => {
    const { key, id } = await make()
    const token = shaped<string>(await api.call('GET', '/user-token', undefined, { key }))
    expect(await status(token)).to.equal(200)
    await call('PATCH', `/api-keys/${id}`, { disabled: true })
    expect(await status(token)).to.equal(401)
    await call('PATCH', `/api-keys/${id}`, { disabled: false })
    expect(await status(token)).to.equal(200)
    await call('DELETE', `/api-keys/${id}`)
    expect(await status(token)).to.equal(401)
  })

  it('An API key has the time of its last use', async () => {
    const { key, id } = await make()
    await status(key)
    const used = shaped<ApiKey[]>(await call('GET', '/api-keys')).find(shown => shown.id === id)?.lastUsedAt
    expect(Date.now() - Date.parse(used ?? '')).to.be.within(0, 60_000)
  })

  it('All errors of an API key request are listed', async () => {
    const answer = await call('POST', '/api-keys', { name: ' ', scopes: ['root'] })
    expect(faultsOf(answer)).to.have.members(['name InvalidDataItem', 'scopes[0] InvalidEnum'])
    expect(faultsOf(await call('POST', '/api-keys', {}))).to.have.members(['name Required', 'scopes Required'])
  })

  it('The number of guessed API keys per address is limited', async () => {
    const strict = await startApi({ settings: { guessesPerAddress: 3 } })
    try {
      const guess = (
        headers: Readonly<Record<string, string>> = {},
        key = `takt guess ${Math.random()}`.padEnd(40, 'x'),
      ) => strict.call('GET', '/settings', undefined, { key, headers }).then(answer => answer.status)
      for (const _ of [1, 2, 3, 4]) expect(await guess({}, 'too short')).to.equal(401)
      for (const _ of [1, 2, 3]) expect(await guess()).to.equal(401)
      expect(await guess()).to.equal(429)
      expect((await strict.call('GET', '/settings')).status, 'a key that is known here').to.equal(200)
      expect(await guess({ 'x-forwarded-for': '203.0.113.9' }), 'another address').to.equal(401)
    } finally {
      await strict.close()
    }
  })
})
