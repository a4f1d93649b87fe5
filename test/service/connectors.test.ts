import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, expect } from 'chai'
import { SourceError } from '../../connect/source/source.ts'
import { readConfig } from '../../service/config.ts'
import { configureConnectors, readSecrets } from '../../service/connectors.ts'
import { StartError } from '../../service/start-error.ts'
import { directRegistrar } from '../support/registrar.ts'

describe('settings of connectors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'takt-connect-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('TAKT_CONNECT_SECRET_FILE names the key of secrets, which has at least 32 bytes', async () => {
    expect((await configureConnectors(readConfig({}))).connectorSecrets).to.equal(null)
    const path = join(folder, 'secret')
    writeFileSync(path, 'x'.repeat(32))
    const config = readConfig({ TAKT_CONNECT_SECRET_FILE: path })
    const [first, second] = [await configureConnectors(config), await configureConnectors(config)]
    const sealed = first.connectorSecrets?.encrypt('password', 'c') ?? ''
    expect(second.connectorSecrets?.decrypt(sealed, 'c')).to.equal('password')
    writeFileSync(path, 'x'.repeat(31))
    expect(await configureConnectors(config).catch((error: unknown) => error)).to.be.instanceOf(StartError)
  })

  it('Secrets of a connector are decrypted, or read from the files of TAKT_CONNECT_SECRETS', async () => {
    const path = join(folder, 'key')
    writeFileSync(path, 'x'.repeat(32))
    const config = { TAKT_CONNECT_SECRET_FILE: path, TAKT_CONNECT_SECRETS: folder }
    const access = await configureConnectors(readConfig(config))
    expect(access.hasSecretFolder).to.equal(true)
    const registrar = directRegistrar('0'.repeat(64))
    const companyId = registrar.company.id
    mkdirSync(join(folder, companyId))
    writeFileSync(join(folder, companyId, 'ca.pem'), 'PEM\n')
    const password = access.connectorSecrets?.encrypt('sesame', `${companyId}/b/password`) ?? ''
    const broker = { id: 'b', name: 'B', kind: 'mqtt', address: 'mqtts://b', secrets: { password, caFile: 'ca.pem' } }
    await registrar.perform('connector.put', { ...broker, kind: 'mqtt' })
    const record = registrar.records.get('connector', companyId, 'b')
    assert.isNotNull(record)
    expect(await readSecrets(record, access)).to.deep.equal({ password: 'sesame', ca: 'PEM' })
    const without = await configureConnectors(readConfig({ TAKT_CONNECT_SECRET_FILE: path }))
    expect(without.hasSecretFolder).to.equal(false)
    for (const other of [without, await configureConnectors(readConfig({ TAKT_CONNECT_SECRETS: folder }))]) {
      const error = await readSecrets(record, other).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(SourceError).with.property('state', 'secret_unavailable')
    }
  })

  it('TAKT_CONNECT_ALLOW names the networks of connectors', async () => {
    const config = readConfig({ TAKT_CONNECT_ALLOW: '198.51.100.0/24, 2001:db8::1' })
    const { connectorNetworks } = await configureConnectors(config)
    expect(connectorNetworks.allows('198.51.100.7', false)).to.equal(true)
    expect(connectorNetworks.allows('2001:db8::2', false)).to.equal(false)
    for (const wrong of ['10.0.0.0/33', '10.0.0.300', '0x7f000001/8', 'http://agent', 'a_b', 'agent:5000', '-a'])
      expect(() => readConfig({ TAKT_CONNECT_ALLOW: wrong }), wrong).to.throw('TAKT_CONNECT_ALLOW: expected a list')
  })

  it('TAKT_CONNECT_ALLOW names hosts, whose addresses are then allowed under this name only', async () => {
    const config = readConfig({ TAKT_CONNECT_ALLOW: 'agent1, Broker.plant.example, 7segment' })
    const { connectorNetworks } = await configureConnectors(config)
    expect(connectorNetworks.allows('8.8.8.8', false, 'broker.PLANT.example.')).to.equal(true)
    expect(connectorNetworks.allows('8.8.8.8', false, 'agent1')).to.equal(true)
    expect(connectorNetworks.allows('8.8.8.8', false, 'agent1.example')).to.equal(false)
    expect(connectorNetworks.allows('8.8.8.8', false)).to.equal(false)
  })
})
