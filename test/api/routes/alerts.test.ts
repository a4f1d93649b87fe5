import { assert } from 'chai'
import { SecretBox } from '../../../shared/secret-box.ts'
import { WebhookAddresses } from '../../../shared/webhook-addresses.ts'
import { faultsOf, startApi, type TestApi } from '../../support/api.ts'

const box = new SecretBox(Buffer.alloc(32, 'of the installation'))
const webhook = { name: 'Hook', kind: 'webhook', url: 'https://hook.example/x' }

describe('routes of alerts', () => {
  let api: TestApi
  const start = async (changes: Parameters<typeof startApi>[0] = {}) =>
    (api = await startApi({ connectorSecrets: box, ...changes }))
  afterEach(() => api.close())
  const idsOf = ({ body }: { readonly body: unknown }): unknown[] => Array.from(Object(body), each => Object(each).id)
  const secretOf = ({ body }: { readonly body: unknown }): string => String(Object(body).secret)
  const target = () => api.registrar.records.get('alertTarget', api.registrar.company.id, 'w')
  const opened = (sealed: string | null | undefined) =>
    box.decrypt(sealed ?? '', `${api.registrar.company.id}/w/webhook`)

  it('Rules and pauses are created, listed, replaced and deleted', async () => {
    await start()
    const rule = { name: 'Stop', severity: 'info', condition: { stop: { reasons: [] } } }
    const { body } = await api.call('PUT', '/alert-rules/b', rule)
    assert.deepInclude(body, { ...rule, id: 'b', enabled: true })
    await api.call('PUT', '/alert-rules/a', { ...rule, name: 'Zone' })
    assert.deepEqual(idsOf(await api.call('GET', '/alert-rules')), ['b', 'a'])
    assert.deepEqual((await api.call('GET', '/alert-rules/b')).body, body)
    assert.isNull((await api.call('DELETE', '/alert-rules/b')).body)
    assert.equal((await api.call('GET', '/alert-rules/b')).status, 404)
    const times = { startAt: '2026-03-07T14:00:00.000Z', endAt: '2026-03-07T20:00:00.000Z' }
    const pause = (await api.call('PUT', '/alert-pauses/p', times)).body
    assert.deepInclude(pause, { ...times, id: 'p', note: '' })
    assert.deepEqual((await api.call('GET', '/alert-pauses')).body, [pause])
    assert.isNull((await api.call('DELETE', '/alert-pauses/p')).body)
  })

  it('The secret of a new webhook is in one response only, and stored encrypted', async () => {
    await start()
    const created = await api.call('PUT', '/alert-targets/w', webhook)
    assert.match(secretOf(created), /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(opened(target()?.secrets?.current), secretOf(created))
    const { secret: _, ...shown } = Object(created.body)
    assert.deepEqual(shown, {
      ...webhook,
      id: 'w',
      userId: null,
      addresses: [],
      language: 'en',
      collectMs: 5_000,
      disabledAt: null,
      disabledCause: null,
      failingSince: null,
    })
    assert.deepEqual((await api.call('PUT', '/alert-targets/w', { ...webhook, secret: 'chosen' })).body, shown)
    assert.deepEqual((await api.call('GET', '/alert-targets')).body, [shown])
    assert.deepEqual((await api.call('GET', '/alert-targets/w')).body, shown)
    const rotated = await api.call('POST', '/alert-targets/w/rotate-secret')
    assert.notEqual(secretOf(rotated), secretOf(created))
    assert.equal(opened(target()?.secrets?.current), secretOf(rotated))
    assert.equal(opened(target()?.secrets?.previous), secretOf(created))
    assert.isNull((await api.call('DELETE', '/alert-targets/w')).body)
    assert.equal((await api.call('POST', '/alert-targets/w/rotate-secret')).status, 404)
  })

  it('A webhook requires a key of the installation, and an allowed address', async () => {
    await start({ connectorSecrets: null })
    assert.deepEqual(faultsOf(await api.call('PUT', '/alert-targets/w', webhook)), ['url InvalidDataItem'])
    assert.equal((await api.call('POST', '/alert-targets/w/rotate-secret')).status, 400)
    await api.close()
    await start({ webhookAddresses: new WebhookAddresses(['public', '10.1.0.0/16']) })
    const put = (url: string) => api.call('PUT', '/alert-targets/w', { ...webhook, url })
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:7f00:1]', '169.254.169.254', '10.2.0.1'])
      assert.deepEqual(faultsOf(await put(`http://${host}/x`)), ['url InvalidDataItem'], host)
    assert.equal((await put('http://10.1.0.1/x')).status, 200)
  })

  it('Users other than operators read and change rules', async () => {
    await start()
    const rule = { name: 'Stop', severity: 'info', condition: { stop: { reasons: [] } } }
    for (const [role, status] of [
      ['manager', 200],
      ['operator', 403],
    ] as const) {
      const { cookie } = await api.signIn(role)
      assert.equal((await api.call('GET', '/alert-rules', undefined, { cookie })).status, status, role)
      assert.equal((await api.call('PUT', '/alert-rules/r', rule, { cookie })).status, status, role)
    }
  })
})
