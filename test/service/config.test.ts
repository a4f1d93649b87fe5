import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, expect } from 'chai'
import { isDemo, readConfig, settings } from '../../service/config.ts'
import { withoutCredentials } from '../../service/settings/setting.ts'
import { findNearMisses } from '../../service/settings/unknown-settings.ts'

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')

describe('settings', () => {
  it('The default settings are valid', () => {
    const config = readConfig({})
    expect(config.TAKT_PORT).to.equal(8080)
    expect(config.TAKT_ROLES).to.deep.equal(['ingest', 'process', 'api', 'connect'])
    expect(config.TAKT_ADMIN_KEY).to.equal(null)
    expect(config.KAFKA_BROKERS).to.deep.equal([])
    expect(config.CLICKHOUSE_URL).to.equal(null)
  })

  it('A change waits 15 s for its confirmation by default', () => {
    expect(readConfig({}).TAKT_CHANGE_TIMEOUT_MS).to.equal(15_000)
  })

  it('Every invalid setting is listed', () => {
    const env = {
      TAKT_PORT: '70000',
      TAKT_ROLES: 'api,cook',
      TAKT_ADMIN_KEY: 'short',
      TAKT_DEMO: 'yes',
      TAKT_LOG_LEVEL: 'loud',
    }
    const faulty = Object.keys(env)
    assert.throws(() => readConfig(env))
    try {
      readConfig(env)
    } catch (error) {
      const lines = String(error).split('\n').slice(1)
      expect(lines.map(line => line.trim().split(':')[0])).to.deep.equal(faulty)
    }
  })

  it('Settings that are not integers in their range are rejected', () => {
    for (const text of ['', ' ', '1.5', '-1', 'x', '0x10000', '1e9']) {
      assert.throws(() => readConfig({ TAKT_PORT: text }), /TAKT_PORT: expected a whole number from 0 to 65535/, text)
    }
  })

  it('TAKT_READY_LAG_SECONDS is 0 or longer than the longest flush interval', () => {
    for (const text of ['1', '9', '-1', '1e3'])
      assert.throws(
        () => readConfig({ TAKT_READY_LAG_SECONDS: text }),
        /TAKT_READY_LAG_SECONDS: expected 0 or a whole number from 20 to 1000000/,
        text,
      )
    expect(readConfig({ TAKT_READY_LAG_SECONDS: '0' }).TAKT_READY_LAG_SECONDS).to.equal(0)
    expect(readConfig({ TAKT_READY_LAG_SECONDS: '20' }).TAKT_READY_LAG_SECONDS).to.equal(20)
  })

  it('A process with only some roles needs CLICKHOUSE_URL and KAFKA_BROKERS', () => {
    assert.throws(() => readConfig({ TAKT_ROLES: 'api' }), /TAKT_ROLES: .*CLICKHOUSE_URL and KAFKA_BROKERS/)
    const config = readConfig({
      TAKT_ROLES: 'api',
      CLICKHOUSE_URL: 'http://store:8123',
      KAFKA_BROKERS: 'a:9092, b:9092',
    })
    expect(config.TAKT_ROLES).to.deep.equal(['api'])
    expect(config.KAFKA_BROKERS).to.deep.equal(['a:9092', 'b:9092'])
  })

  it('OIDC settings need TAKT_PUBLIC_URL and the issuer of one tenant', () => {
    const given = { TAKT_OIDC_ISSUER: 'https://id.example', TAKT_OIDC_CLIENT_ID: 'takt' }
    assert.throws(() => readConfig(given), /TAKT_PUBLIC_URL: required by TAKT_OIDC_ISSUER/)
    const withUrl = (url: string) => readConfig({ ...given, TAKT_PUBLIC_URL: url }).TAKT_PUBLIC_URL
    expect(withUrl('https://takt.example/')).to.equal('https://takt.example')
    expect(withUrl('http://10.0.0.7:8080')).to.equal('http://10.0.0.7:8080')
    for (const url of ['takt.example', 'ftp://takt.example', 'https://takt.example/app', 'https://a@takt.example'])
      assert.throws(() => withUrl(url), /TAKT_PUBLIC_URL: expected an address/, url)
    for (const tenant of ['common', 'organizations', 'consumers', 'Common']) {
      const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`
      assert.throws(() => readConfig({ ...given, TAKT_OIDC_ISSUER: issuer }), /issuer of one tenant/, tenant)
    }
  })

  it('A mail server needs a sender, and a password exactly with a user', () => {
    const from = { TAKT_SMTP_FROM: 'Takt <takt@example.com>' }
    const server = { ...from, TAKT_SMTP_URL: 'smtp://mail.example.com:587' }
    const withUser = { ...from, TAKT_SMTP_URL: 'smtps://me%40example.com@mail.example.com' }
    const file = { TAKT_SMTP_PASSWORD_FILE: '/run/secrets/smtp' }
    for (const valid of [server, { ...withUser, ...file }]) readConfig(valid)
    assert.throws(() => readConfig({ ...server, TAKT_SMTP_FROM: '' }), /TAKT_SMTP_FROM: required by TAKT_SMTP_URL/)
    for (const faulty of [withUser, { ...server, ...file }, file])
      assert.throws(() => readConfig(faulty), /TAKT_SMTP_PASSWORD_FILE: a password requires a user/)
  })

  it('Addresses of mail servers with a password, a path or a query are rejected, and senders that add a header', () => {
    const addresses = [
      'mail.example.com',
      'http://a',
      'smtp://',
      'smtp://a/b',
      'smtp://a?b',
      'smtp://u:p@a',
      'smtp://%@a',
    ]
    for (const text of addresses)
      assert.throws(() => readConfig({ TAKT_SMTP_URL: text, TAKT_SMTP_FROM: 'a@b' }), /TAKT_SMTP_URL: /, text)
    for (const text of ['Takt', 'a@b, c@d', 'Takt <a@b> x', 'a@b\r\nBcc: c@d', 'T\n <a@b>'])
      assert.throws(() => readConfig({ TAKT_SMTP_FROM: text }), /TAKT_SMTP_FROM: expected/, text)
  })

  it('The simulated plant runs only with the embedded log and store, unless TAKT_DEMO states otherwise', () => {
    const servers = { CLICKHOUSE_URL: 'http://store:8123', KAFKA_BROKERS: 'a:9092' }
    expect(isDemo(readConfig({}))).to.equal(true)
    expect(isDemo(readConfig({ TAKT_DEMO: '0' }))).to.equal(false)
    expect(isDemo(readConfig(servers))).to.equal(false)
    expect(isDemo(readConfig({ KAFKA_BROKERS: 'a:9092' }))).to.equal(false)
    expect(isDemo(readConfig({ ...servers, TAKT_DEMO: '1' }))).to.equal(true)
  })

  it('Unknown TAKT_ variables are rejected with the closest known name and without their value', () => {
    const env = { TAKT_PARTITION: 'secret', takt_port: 'secret', TAKT_KAFKA_BROKERS: 'secret', TAKT_ADMINKEY: 'secret' }
    const faults = faultsOf(env)
    expect(faults).to.deep.equal([
      'TAKT_PARTITION: unknown setting. The closest known name is TAKT_PARTITIONS',
      'takt_port: unknown setting. The closest known name is TAKT_PORT',
      'TAKT_KAFKA_BROKERS: unknown setting. The closest known name is KAFKA_BROKERS',
      'TAKT_ADMINKEY: unknown setting. The closest known name is TAKT_ADMIN_KEY',
    ])
    expect(faultsOf({ TAKT_PARTITION: '', TAKT_PORT: 'x' })).to.have.lengthOf(2)
  })

  it('Service links that Kubernetes sets are ignored', () => {
    const address = 'tcp://10.0.0.11:8080'
    const linksOf = (service: string) => ({
      [`${service}_SERVICE_HOST`]: '10.0.0.11',
      [`${service}_SERVICE_PORT`]: '8080',
      [`${service}_SERVICE_PORT_HTTP`]: '8080',
      [`${service}_PORT`]: address,
      [`${service}_PORT_8080_TCP`]: address,
      [`${service}_PORT_8080_TCP_PROTO`]: 'tcp',
      [`${service}_PORT_8080_TCP_PORT`]: '8080',
      [`${service}_PORT_8080_TCP_ADDR`]: '10.0.0.11',
    })
    const services = ['TAKT', 'TAKT_LIVE', 'TAKT_API', 'KAFKA', 'CLICKHOUSE', 'KAFKA_BROKER']
    const env: Record<string, string> = Object.assign({}, ...services.map(linksOf))
    expect(readConfig(env)).to.deep.equal(readConfig({}))
    expect(findNearMisses(env, Object.keys(settings))).to.deep.equal([])
    expect(readConfig({ ...env, TAKT_PORT: '9000' }).TAKT_PORT).to.equal(9000)
    expect(faultsOf({ TAKT_PORT: 'http://10.0.0.11:8080' })).to.have.lengthOf(1)
  })

  it('The variables of the examples and of the image are accepted', () => {
    expect(readConfig({ TAKT_KEY: 'takt_x', TAKT_EMBEDDED: '1' })).to.deep.equal(readConfig({}))
  })

  it('Kafka and ClickHouse variables that resemble a setting are reported, and no other variables are', () => {
    const env = {
      KAFKA_BROKER: 'kafka:9092',
      KAFKA_SASL_USER: 'takt',
      CLICKHOUSE_URI: 'http://store:8123',
      CLICKHOUSE_USERNAME: 'takt',
      CLICKHOUSE_PASS: 'secret',
    }
    const others = {
      KAFKA_HEAP_OPTS: '-Xmx1g',
      KAFKA_NODE_ID: '1',
      CLICKHOUSE_DB: 'x',
      PATH: '/bin',
      PORT: '1',
      TEST_URL: 'http://test',
      USER: 'x',
    }
    expect(findNearMisses({ ...env, ...others, KAFKA_BROKERS: 'a:1' }, Object.keys(settings))).to.deep.equal([
      { variable: 'KAFKA_BROKER', setting: 'KAFKA_BROKERS' },
      { variable: 'KAFKA_SASL_USER', setting: 'KAFKA_SASL_USERNAME' },
      { variable: 'CLICKHOUSE_URI', setting: 'CLICKHOUSE_URL' },
      { variable: 'CLICKHOUSE_USERNAME', setting: 'CLICKHOUSE_USER' },
      { variable: 'CLICKHOUSE_PASS', setting: 'CLICKHOUSE_PASSWORD' },
    ])
    expect(readConfig({ ...env, ...others })).to.deep.equal(readConfig({}))
  })

  it('A broker without a port is reported, and text that may contain a password is not shown', () => {
    const faultOf = (KAFKA_BROKERS: string) => faultsOf({ KAFKA_BROKERS, TAKT_ROLES: 'api' }).join()
    const expected = 'expected host:port separated by commas, such as kafka:9092'
    expect(faultOf('kafka')).to.equal(`KAFKA_BROKERS: kafka has no port; ${expected}`)
    expect(faultOf('a:9092, b.example')).to.equal(`KAFKA_BROKERS: b.example has no port; ${expected}`)
    for (const broker of ['sasl://me:secret@a:9092', 'a:secret', 'a:0', 'a:65536', 'a:9092:1', ':9092'])
      expect(faultOf(`b:9092,${broker}`), broker).to.equal(`KAFKA_BROKERS: broker 2 is not host:port; ${expected}`)
  })

  it('Server addresses begin with http or https', () => {
    for (const name of ['CLICKHOUSE_URL', 'TAKT_URL', 'TAKT_OAUTH_JWKS_URL'])
      for (const address of ['store:8123', 'store', 'tcp://store:9000'])
        expect(faultsOf({ [name]: address })[0], `${name}=${address}`).to.match(
          /expected an address that begins with http/,
        )
  })

  it('The address of a server is shown without user, password and query', () => {
    expect(withoutCredentials('http://127.0.0.1:9')).to.equal('http://127.0.0.1:9')
    expect(withoutCredentials('https://me:secret@store:8443/path?password=secret')).to.equal('https://store:8443/path')
  })

  it('The environment is read only by readEnvironment', () => {
    const folders = [
      'shared',
      'schema',
      'log',
      'processors',
      'clickhouse',
      'ingest',
      'connect',
      'api',
      'demo',
      'service',
    ]
    const files = folders.flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(file => join(folder, file)),
    )
    const sources = ['main.ts', 'start.cjs', ...files.filter(file => file.endsWith('.ts'))]
    const uses = sources.flatMap(path => readFileSync(path, 'utf8').match(/.*process\.env.*/g) ?? [])
    expect(uses).to.not.be.empty
    for (const use of uses) expect(use).to.include('readEnvironment(process.env)')
  })

  it('docs/configuration.md lists all settings with their defaults and meanings', () => {
    const rows = page.split('\n').filter(line => line.startsWith('| `'))
    const cells = rows.map(row =>
      row
        .split('|')
        .map(cell => cell.trim())
        .slice(1, 4),
    )
    const expected = Object.entries(settings).map(([name, { default: value, meaning }]) => [
      `\`${name}\``,
      value === '' ? '' : `\`${value}\``,
      meaning.replaceAll('|', '\\|'),
    ])
    expect(cells).to.deep.equal(expected)
  })
})

/** The errors that `readConfig` reports, a line each. */
function faultsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    const [, ...lines] = String(error).split('\n')
    return lines.map(line => line.trim())
  }
}
