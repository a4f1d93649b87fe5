import { assert } from 'chai'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { maxPartBytes } from '../../../connect/mtconnect/multipart.ts'
import type { SourceError } from '../../../connect/source/source.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { RunningConnector, type RunningOptions } from './running-connector.ts'
import { Scenario, type ScenarioOptions } from './scenario.ts'

describe('access to MTConnect agents', () => {
  async function read(options: ScenarioOptions): Promise<void> {
    const scenario = await Scenario.start(options)
    try {
      scenario.work(5)
      await scenario.readAll()
      scenario.check()
    } finally {
      await scenario.end()
    }
  }

  /** Returns the first error of a connector, or its first warning. */
  async function firstError(address: string, options: Partial<RunningOptions> = {}): Promise<SourceError | string> {
    const connector = new RunningConnector(address, { machines: [], clock: Date.now, ...options })
    connector.start()
    try {
      await connector.until(() => connector.errors.length + connector.warnings.length > 0, 'no error')
      return connector.errors[0] ?? connector.warnings[0] ?? ''
    } finally {
      await connector.kill()
    }
  }

  async function errorOf(options: ScenarioOptions): Promise<SourceError | string> {
    const scenario = await Scenario.start(options)
    try {
      return await firstError(scenario.agent.url, options.connector)
    } finally {
      await scenario.end()
    }
  }

  async function withServer(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has a port
    const { port } = server.address() as AddressInfo
    try {
      await use(`http://127.0.0.1:${port}`)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  const authorization = `Basic ${Buffer.from('gate:se:cret').toString('base64')}`
  const user = { options: { user: 'gate' } }

  it('User and password are sent, and a denial of access is a state of its own, without the password', async () => {
    await read({ authorization, connector: { ...user, secrets: { password: 'se:cret' } } })
    const error = await errorOf({ authorization, connector: { ...user, secrets: { password: 'wr0ng' } } })
    assert.include(error, { state: 'rejected', message: 'The agent denies access: HTTP 401' })
  })

  describe('over TLS', () => {
    let files: ReturnType<typeof makeCertificate>
    const pem = (file: string) => readFileSync(file, 'utf8')

    before(() => {
      files = makeCertificate(mkdtempSync(join(tmpdir(), 'takt-agent-')))
    })

    const tls = () => ({
      key: pem(files.keyFile),
      cert: pem(files.certFile),
      ca: pem(files.caFile),
      requestCert: true,
      rejectUnauthorized: true,
    })

    it('An agent with an own authority is read with a client certificate', () =>
      read({
        tls: tls(),
        connector: { secrets: { ca: pem(files.caFile), key: pem(files.keyFile), certificate: pem(files.certFile) } },
      }))

    it('An agent of another authority is not read, and neither is one that needs a client certificate', async () => {
      const unknown = await errorOf({ tls: tls() })
      assert.include(unknown, { state: 'disconnected' })
      assert.match(String(unknown), /certificate/)
      assert.include(await errorOf({ tls: tls(), connector: { secrets: { ca: pem(files.caFile) } } }), {
        state: 'disconnected',
      })
    })

    it('A key that cannot be read is an invalid setting, which the error does not show', async () => {
      const secrets = { key: 'not a k3y', certificate: pem(files.certFile) }
      const error = await errorOf({ tls: tls(), connector: { secrets } })
      assert.include(error, { state: 'invalid' })
      assert.notInclude(String(error), 'k3y')
    })
  })

  it('Only allowed addresses are connected to, by name and literally', async () => {
    const addresses: string[] = []
    const isAllowed = (address: string) => {
      addresses.push(address)
      return false
    }
    await withServer(
      () => assert.fail('a connection was opened'),
      async url => {
        for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1']) {
          const error = await firstError(url.replace('127.0.0.1', host), { isAllowed })
          assert.include(error, { state: 'invalid' }, host)
        }
      },
    )
    assert.isAtLeast(addresses.length, 4)
  })

  it('Redirects are not followed', async () => {
    const paths: string[] = []
    const listener: RequestListener = ({ url = '' }, response) => {
      paths.push(url)
      response.writeHead(302, { Location: '/other' }).end()
    }
    await withServer(listener, async url => {
      assert.match(String(await firstError(url)), /redirects to another address, which is not followed: HTTP 302/)
    })
    assert.notInclude(paths, '/other')
  })

  it('A page that is not a document is an error with its status', async () => {
    const listener: RequestListener = (_, response) => {
      response.writeHead(502).end('<html><body>Bad gateway</body></html>')
    }
    await withServer(listener, async url => {
      assert.match(String(await firstError(url)), /HTTP 502: The document html/)
    })
  })

  for (const form of ['plain', 'compressed'] as const) {
    it(`A document without an end is not stored (${form})`, async () => {
      const spaces = Buffer.alloc(1 << 20, ' ')
      const bomb = gzipSync(Buffer.alloc(maxPartBytes + 1))
      const listener: RequestListener = (_, response) => {
        if (form === 'compressed') return void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb)
        const more = (): void => {
          if (!response.destroyed && response.write(spaces)) setImmediate(more)
        }
        response.writeHead(200).on('drain', more)
        more()
      }
      await withServer(listener, async url => {
        assert.match(String(await firstError(url)), /The document is longer than 67108864 bytes/)
      })
    })
  }

  it('A connector that stops closes its connections, whatever the agent does', async () => {
    for (const isHanging of [false, true]) {
      const scenario = await Scenario.start()
      if (!isHanging) await scenario.readAll()
      scenario.agent.faults.isHanging = isHanging
      await scenario.connector.until(() => scenario.agent.connections > 0, 'no connection')
      const startedMs = performance.now()
      await scenario.connector.kill()
      await scenario.connector.until(() => scenario.agent.connections === 0, 'connections remain')
      assert.isBelow(performance.now() - startedMs, 5_000)
      await scenario.agent.close()
    }
  })
})
