import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions, createServer, type TlsOptions } from 'node:tls'
import { assert } from 'chai'
import { describeFailure } from '../../../connect/source/describe-failure.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { runCommand } from '../../support/run-command.ts'

describe('failures of connections', () => {
  it('Are described in words, with the message of the error', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5000'), { code: 'ECONNREFUSED' })
    assert.equal(
      describeFailure(refused),
      'nothing accepts connections at this address (connect ECONNREFUSED 10.0.0.7:5000)',
    )
    const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    assert.equal(describeFailure(aborted), 'the connection was lost (aborted)')
  })

  describe('of encrypted connections', () => {
    let folder: string
    const read = (name: string) => readFileSync(join(folder, name))
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'takt-failures-'))
      makeCertificate(folder)
      const file = (name: string) => join(folder, name)
      const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca-key.pem'), '-CAcreateserial']
      const request = ['x509', '-req', '-in', file('request.pem'), ...signed]
      runCommand('openssl', [...request, '-days', '-1', '-extfile', file('names.txt'), '-out', file('expired.pem')])
      runCommand('openssl', [...request, '-days', '2', '-out', file('nameless.pem')])
    })
    after(() => rmSync(folder, { recursive: true, force: true }))

    /** Returns the description of the failure of a connection to a server. */
    async function failureAt(server: Server, options: ConnectionOptions = {}): Promise<string> {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const listening = server.address()
      const port = listening !== null && typeof listening === 'object' ? listening.port : 0
      const socket = connect({ port, host: '127.0.0.1', ca: read('ca.pem'), ...options }).resume()
      try {
        return describeFailure(await new Promise(resolve => void socket.on('error', resolve)))
      } finally {
        socket.destroy()
        server.close()
      }
    }
    const secure = (changes: TlsOptions = {}, cert = 'cert.pem') =>
      createServer({ key: read('key.pem'), cert: read(cert), ...changes }).on('tlsClientError', () => undefined)

    it('Name what is wrong with the certificate of the source', async () => {
      assert.match(await failureAt(secure({}, 'expired.pem')), /^its certificate has expired, .* \(.+\)$/)
      assert.match(await failureAt(secure({}, 'nameless.pem')), /^its certificate is for other host names \(.+\)$/)
      assert.match(await failureAt(secure(), { ca: [] }), /^the authority of its certificate is unknown: .* \(.+\)$/)
      const selfSigned = createServer({ key: read('ca-key.pem'), cert: read('ca.pem') })
      selfSigned.on('tlsClientError', () => undefined)
      assert.match(await failureAt(selfSigned, { ca: [] }), /^its certificate is self-signed: .* \(.+\)$/)
    })

    it('Name what the source requires, or that it is not encrypted', async () => {
      const authority = { requestCert: true, ca: read('ca.pem') }
      assert.equal(
        await failureAt(secure(authority)),
        'it requires a client certificate (tlsv13 alert certificate required)',
      )
      assert.equal(
        await failureAt(secure({ minVersion: 'TLSv1.3' }), { maxVersion: 'TLSv1.2' }),
        'it uses a version of TLS that is not supported (tlsv1 alert protocol version)',
      )
      const plain = createTcpServer(socket => void socket.on('error', () => undefined).end('* PONG 10000\r\n'))
      assert.equal(await failureAt(plain), 'it does not use encryption at this port (wrong version number)')
    })
  })

  it('Name an address at which HTTP is not spoken', async () => {
    const adapter = createTcpServer(socket => void socket.on('error', () => undefined).end('* PONG 10000\r\n'))
    await once(adapter.listen(0, '127.0.0.1'), 'listening')
    const listening = adapter.address()
    const port = listening !== null && typeof listening === 'object' ? listening.port : 0
    const error = await new Promise(resolve => void get(`http://127.0.0.1:${port}/probe`).on('error', resolve))
    adapter.close()
    assert.match(describeFailure(error), /^it does not speak HTTP at this port \(.+\)$/)
  })

  it('Without a known code are described by their message', () => {
    assert.equal(describeFailure(new Error('it disconnects (code 141)')), 'it disconnects (code 141)')
    assert.equal(describeFailure('closed'), 'closed')
  })
})
