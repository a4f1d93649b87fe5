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
    expect(await failure('/endless')).to.be.instanceOf(ProviderUnavailable)
    expect(await failure('/slow', 100)).to.be.instanceOf(ProviderUnavailable)
  })

  it('An identity provider that responds with status 500 counts as unavailable', async () => {
    expect(await failure('/ill')).to.be.instanceOf(ProviderUnavailable)
  })

  it('A redirect of an identity provider is not followed', async () => {
    expect((await boundedFetch(`${url}/away`)).status).to.equal(302)
    expect(asked).not.to.include('/other')
  })
})
