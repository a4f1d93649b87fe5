import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { newTotals } from '../../../connect/source/totals.ts'
import type { ConnectorHealth } from '../../../schema/connector-health.ts'
import { exampleIds } from '../../../schema/example-ids.ts'
import { defaultConnectorOptions } from '../../../schema/records/connector.ts'
import { AllowedNetworks } from '../../../shared/allowed-networks.ts'
import { SecretBox } from '../../../shared/secret-box.ts'
import { faultsOf, startApi, type TestApi } from '../../support/api.ts'
import { readAs } from '../../support/read-as.ts'

const box = new SecretBox(Buffer.alloc(32, 'of the installation'))
const broker = { name: 'Broker', kind: 'mqtt', address: 'mqtts://broker.example' }

/** Health of a connector that no process runs. */
const unknownHealth = {
  since: null,
  unavailableSince: null,
  owner: null,
  lastHeard: null,
  lastError: null,
  observationsPerSecond: null,
  waitingBytes: null,
  buffer: null,
  skewMs: null,
  lagMs: null,
  lastSamples: [],
  warnings: [],
  totals: null,
  lastGap: null,
}

describe('routes of connectors', () => {
  let api: TestApi
  const start = async (changes: Parameters<typeof startApi>[0] = {}) =>
    (api = await startApi({ connectorSecrets: box, ...changes }))
  afterEach(() => api.close())
  const put = (id: string, body: object) => api.call('PUT', `/connectors/${id}`, body)
  const records = () => api.registrar.records
  const companyId = () => api.registrar.company.id

  it('A connector is created, listed, replaced and deleted', async () => {
    await start()
    const machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    const body = {
      name: 'Posted',
      kind: 'http',
      machines: [{ machineId }],
      rules: [{ from: 'DB10.W4', key: 'execution' }],
    }
    const expected = {
      ...body,
      id: 'posted',
      address: null,
      enabled: true,
      sourceId: 'posted',
      machines: [{ source: null, machineId, paths: {}, expand: [], timeOffsetMs: 0 }],
      options: defaultConnectorOptions,
      secrets: {},
      state: 'connected',
      ...unknownHealth,
    }
    assert.deepEqual((await put('posted', body)).body, expected)
    assert.deepEqual((await api.call('GET', '/connectors')).body, [expected])
    const disabled = { ...expected, enabled: false, state: 'disabled' }
    assert.deepEqual((await put('posted', { ...body, enabled: false })).body, disabled)
    assert.deepEqual((await api.call('GET', '/connectors/posted')).body, disabled)
    assert.isNull((await api.call('DELETE', '/connectors/posted')).body)
    assert.equal((await api.call('GET', '/connectors/posted')).status, 404)
  })

  it('The response has the state and health that the process of the connector has published', async () => {
    const health: ConnectorHealth = {
      state: 'catching_up',
      sinceMs: 0,
      unavailableSinceMs: null,
      owner: 'host/1',
      lastHeardMs: 1_000,
      lastError: { atMs: 2_000, message: 'Reset' },
      observationsPerSecond: 2.5,
      totals: { ...newTotals(), observations: 7, rejected: { past_timestamp: 1 } },
      waitingBytes: 10,
      buffer: { samples: 3, bytes: 500, oldestMs: 4_000 },
      skewMs: -70_000,
      lagMs: 12,
      lastSamples: [[exampleIds.machine, 5_000, -250]],
      warnings: [{ code: 'clock_skew', message: 'Wrong', timeOffsetMs: 70_000 }],
      lastGap: { fromMs: 0, toMs: 3_000, lost: null },
    }
    await start({
      connectorHealth: { get: (ref, id) => (ref === api.registrar.company.ref && id === 'b' ? health : null) },
    })
    await put('b', broker)
    assert.deepInclude((await api.call('GET', '/connectors/b')).body, {
      state: 'catching_up',
      since: '1970-01-01T00:00:00.000Z',
      owner: 'host/1',
      lastHeard: '1970-01-01T00:00:01.000Z',
      lastError: { at: '1970-01-01T00:00:02.000Z', message: 'Reset' },
      observationsPerSecond: 2.5,
      waitingBytes: 10,
      buffer: { samples: 3, bytes: 500, oldest: '1970-01-01T00:00:04.000Z' },
      skewMs: -70_000,
      lagMs: 12,
      lastSamples: [{ machineId: exampleIds.machine, at: '1970-01-01T00:00:05.000Z', skewMs: -250 }],
      warnings: [{ code: 'clock_skew', message: 'Wrong', timeOffsetMs: 70_000 }],
      totals: health.totals,
      lastGap: { from: '1970-01-01T00:00:00.000Z', to: '1970-01-01T00:00:03.000Z', lost: null },
    })
    assert.deepInclude((await put('b', { ...broker, enabled: false })).body, { state: 'disabled', ...unknownHealth })
    assert.deepInclude((await put('c', broker)).body, { state: 'disconnected', ...unknownHealth })
  })

  it('A secret is stored encrypted for its connector, and no response contains it', async () => {
    await start()
    const created = await put('b', { ...broker, secrets: { password: 'sesame', ca: null } })
    assert.deepInclude(created.body, { secrets: { password: true }, state: 'disconnected' })
    const stored = records().get('connector', companyId(), 'b')?.secrets.password ?? ''
    assert.equal(box.decrypt(stored, `${companyId()}/b/password`), 'sesame')
    assert.deepInclude((await put('b', { ...broker, secrets: { password: true } })).body, {
      secrets: { password: true },
    })
    assert.equal(records().get('connector', companyId(), 'b')?.secrets.password, stored)
    for (const path of ['/connectors', '/connectors/b'])
      assert.notInclude(JSON.stringify((await api.call('GET', path)).body), stored)
    assert.deepInclude((await put('b', { ...broker, secrets: { password: null } })).body, { secrets: {} })
  })

  it('A secret is a text or a file: its name is in responses, and the one that is sent last replaces the other', async () => {
    await start({ hasSecretFolder: true })
    const secretsAfter = async (secrets?: object) => {
      const { status, body } = await put('b', { ...broker, ...(secrets && { secrets }) })
      assert.equal(status, 200)
      return readAs<{ secrets: object }>(body).secrets
    }
    assert.deepEqual(await secretsAfter({ passwordFile: 'plc', ca: 'x' }), { passwordFile: 'plc', ca: true })
    assert.deepEqual(await secretsAfter(), { passwordFile: 'plc', ca: true })
    assert.deepInclude((await api.call('GET', '/connectors/b')).body, { secrets: { passwordFile: 'plc', ca: true } })
    assert.deepEqual(await secretsAfter({ passwordFile: true, ca: true }), { passwordFile: 'plc', ca: true })
    assert.deepEqual(await secretsAfter({ caFile: 'ca.pem' }), { passwordFile: 'plc', caFile: 'ca.pem' })
    assert.deepEqual(await secretsAfter({ password: 'sesame', caFile: null }), { password: true })
    assert.deepEqual(await secretsAfter({ passwordFile: 'plc', password: null }), { passwordFile: 'plc' })
    assert.deepInclude((await put('b', broker)).body, { state: 'disconnected' })
  })

  it('Faults of files of secrets are field errors, and reach neither folder nor log', async () => {
    await start({ hasSecretFolder: true })
    const faults = async (secrets: object, path = '/connectors/b') => {
      const [method, body] = path === '/connectors/b' ? ['PUT', { ...broker, secrets }] : ['POST', secrets]
      return faultsOf(await api.call(method, path, body))
    }
    const source = { kind: 'mqtt', address: 'mqtt://127.0.0.1:9', seconds: 1 }
    for (const name of ['../plc', '..', '.', '.plc', '/etc/passwd', 'a/b', 'a\\b', '', 'a\0', 'ä', 'x'.repeat(201)]) {
      const code = name.length > 200 ? 'OutOfRange' : 'InvalidDataItem'
      assert.deepEqual(await faults({ passwordFile: name }), [`secrets.passwordFile ${code}`], name)
      assert.deepEqual(
        await faults({ ...source, secrets: { keyFile: name } }, '/connectors/discover'),
        [`secrets.keyFile ${code}`],
        name,
      )
      const connector = { ...broker, secrets: { caFile: name } }
      assert.deepEqual(await faults({ connector }, '/connectors/preview'), [`connector.secrets.caFile ${code}`], name)
    }
    assert.deepEqual(await faults({ passwordFile: [], caFile: false }), [
      'secrets.passwordFile InvalidType',
      'secrets.caFile InvalidDataItem',
    ])
    assert.deepEqual(await faults({ caFile: true }), ['secrets.caFile InvalidDataItem'])
    const both = { password: 'sesame', passwordFile: 'plc' }
    assert.deepEqual(await faults(both), ['secrets.passwordFile InvalidDataItem'])
    assert.deepEqual(await faults({ ...source, secrets: both }, '/connectors/discover'), [
      'secrets.passwordFile InvalidDataItem',
    ])
    assert.deepEqual(await faults({ connector: { ...broker, secrets: both } }, '/connectors/preview'), [
      'connector.secrets.passwordFile InvalidDataItem',
    ])
    await api.close()
    await start()
    assert.deepEqual(await faults({ passwordFile: 'plc' }), ['secrets.passwordFile InvalidDataItem'])
    assert.deepEqual(await faults({ ...source, secrets: { caFile: 'ca' } }, '/connectors/discover'), [
      'secrets.caFile InvalidDataItem',
    ])
    assert.deepEqual(await faults({ connector: { ...broker, secrets: { caFile: 'ca' } } }, '/connectors/preview'), [
      'connector.secrets.caFile InvalidDataItem',
    ])
  })

  it('A connector whose secret was encrypted with another key is secret_unavailable', async () => {
    await start({ connectorSecrets: new SecretBox(Buffer.alloc(32, 'new')) })
    const secrets = { password: box.encrypt('sesame', `${companyId()}/b/password`) }
    await api.registrar.perform('connector.put', { ...broker, kind: 'mqtt', id: 'b', secrets })
    assert.deepInclude((await api.call('GET', '/connectors/b')).body, { state: 'secret_unavailable' })
  })

  it('No secret of a rejected request reaches the log', async () => {
    await start({ connectorSecrets: null })
    const { submit } = api.registrar
    const submitted: string[] = []
    Object.assign(api.registrar, {
      submit: (...[name, payload, options]: Parameters<typeof submit>) => {
        submitted.push(JSON.stringify(payload))
        return submit(name, payload, options)
      },
    })
    for (const [body, fault] of [
      [{ secrets: { password: 'sesame' } }, 'secrets.password InvalidDataItem'],
      [{ secrets: 'sesame' }, 'secrets InvalidType'],
      [{ secrets: ['sesame'] }, 'secrets InvalidType'],
      [{ address: 'mqtt://ann:sesame@broker' }, 'address InvalidDataItem'],
      [{ secrets: { token: 'sesame' }, kind: 'none' }, 'kind InvalidEnum'],
    ] as const)
      assert.deepEqual(faultsOf(await put('b', { ...broker, ...body })), [fault])
    assert.notInclude(submitted.join(), 'sesame')
  })

  it('A secret has at most 64 KiB', async () => {
    await start()
    assert.equal((await put('b', { ...broker, secrets: { ca: 'x'.repeat(65_536) } })).status, 200)
    const tooLong = await put('b', { ...broker, secrets: { ca: 'ä'.repeat(32_769), key: 'x'.repeat(65_537) } })
    assert.sameMembers(faultsOf(tooLong), ['secrets.ca OutOfRange', 'secrets.key OutOfRange'])
  })

  it('An IP address in any form must be in an allowed network', async () => {
    await start({ connectorNetworks: new AllowedNetworks(['198.51.100.0/24']) })
    const faults = async (kind: string, address: string) => {
      const answer = await put('a', { name: 'A', kind, address })
      return answer.status === 200 ? [] : faultsOf(answer)
    }
    for (const [kind, address] of [
      ['mtconnect', 'http://127.0.0.1:5000'],
      ['mtconnect', 'http://agent.example:5000'],
      ['shdr', 'tcp://198.51.100.7:7878'],
      ['mqtt', 'mqtt://[fd00::1]'],
    ] as const)
      assert.deepEqual(await faults(kind, address), [], address)
    const denied = ['address InvalidDataItem']
    for (const [kind, address] of [
      ['mtconnect', 'http://169.254.169.254/latest'],
      ['mtconnect', 'http://0xa9fea9fe/'],
      ['shdr', 'tcp://2852039166:80'],
      ['mqtt', 'mqtt://[fe80::1]'],
      ['mqtt', 'mqtt://[::ffff:8.8.8.8]'],
    ] as const)
      assert.deepEqual(await faults(kind, address), denied, address)
    await api.registrar.perform('company.create', { companyName: 'Second', adminKeyHash: null })
    assert.deepEqual(await faults('mtconnect', 'http://127.0.0.1:5000'), denied)
    assert.deepEqual(await faults('shdr', 'tcp://198.51.100.7:7878'), [])
  })

  it('Users other than operators read and change connectors', async () => {
    await start()
    for (const [role, status] of [
      ['it_admin', 200],
      ['executive', 200],
      ['manager', 200],
      ['operator', 403],
    ] as const) {
      const { cookie } = await api.signIn(role)
      assert.equal((await api.call('GET', '/connectors', undefined, { cookie })).status, status, role)
      assert.equal((await api.call('PUT', '/connectors/b', broker, { cookie })).status, status, role)
    }
  })
})
