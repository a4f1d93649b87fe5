import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { boundedFetch, ProviderUnavailable } from '../../../api/auth/bounded-fetch.ts'

describe('boundedFetch from an identity provider', () => {
  let server: Server
  let url: string
  let asked: string[]

  before(async () => {
    asked = []
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      if (request.url === '/ill') response.writeHead(500).end('no')
      else if (request.url === '/away') response.writeHead(302, { location: '/other' }).end()
      else if (request.url?.startsWith('/bytes/')) response.end(Buffer.alloc(Number(request.url.slice(7))))
      else if (request.url === '/slow') {
        const drop = setInterval(() => response.write('x'), 10)
        response.on('close', () => clearInterval(drop))
      } else if (request.url === '/endless') {
        const more = () => {
          while (response.write('x'.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      } else response.end('{"issuer":"me"}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const failure = (path: string, withinMs?: number) =>
    boundedFetch(url + path, {}, withinMs).then(
      () => null,
      (error: unknown) => error,
    )

  it('A small response of an identity provider is returned whole', async () => {
    const answer = await boundedFetch(`${url}/small`)
    expect(await answer.json()).to.deep.equal({ issuer: 'me' })
  })

  it('A response of an identity provider that exceeds its limit of bytes or time counts as unavailable', async () => {
    expect((await (await boundedFetch(`${url}/bytes/262144`)).arrayBuffer()).byteLength).to.equal(262_144)
    for (const path of ['/bytes/262145', '/endless']) {
      const error = await failure(path)
      expect(error).to.be.instanceOf(ProviderUnavailable)
      expect(error).to.have.nested.property('cause.message', 'The response has more than 262144 bytes')
    }
    expect(await failure('/slow', 100)).to.be.instanceOf(ProviderUnavailable)
  })

  it('A request to an identity provider ends when its caller aborts it', async () => {
    const startedMs = performance.now()
    const error = await boundedFetch(`${url}/slow`, { signal: AbortSignal.timeout(50) }, 5_000).catch(String)
    expect(error).to.match(/^ProviderUnavailable: http:.* returned no valid response$/)
    expect(performance.now() - startedMs).to.be.below(4_000)
  })

  it('An identity provider that responds with status 500 counts as unavailable', async () => {
    expect(await failure('/ill')).to.be.instanceOf(ProviderUnavailable)
  })

  it('A redirect of an identity provider is not followed', async () => {
    expect((await boundedFetch(`${url}/away`)).status).to.equal(302)
    expect(asked).not.to.include('/other')
  })
})
