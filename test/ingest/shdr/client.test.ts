import { expect } from 'chai'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { IngestClient } from '../../../ingest/shdr/client.ts'

interface Call {
  readonly request: string
  readonly authorization: string | undefined
  readonly body: unknown
}

describe('replay client', () => {
  const calls: Call[] = []
  const waits: string[] = []
  let server: Server
  let url: string
  let client: IngestClient
  let answer: (call: Call) => { status: number; body: unknown }

  beforeEach(async () => {
    calls.length = 0
    waits.length = 0
    server = createServer((request, response) => {
      const answered = readCall(request).then(call => {
        calls.push(call)
        const { status, body } = answer(call)
        response.writeHead(status, { 'Retry-After': '0' }).end(JSON.stringify(body))
      })
      answered.catch((error: Error) => response.destroy(error))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    url = `http://127.0.0.1:${port}`
    client = new IngestClient({ url: `${url}/`, key: 'takt_secret', onWait: reason => waits.push(reason) })
  })
  afterEach(() => new Promise(resolve => server.close(resolve)))

  it('The replay client sends batches compressed, and retries while the service responds with 503 or 429', async () => {
    const statuses = [503, 429, 202]
    answer = () => ({ status: statuses.shift() ?? 500, body: { accepted: 1, rejected: [] } })
    const samples = [{ timestamp: '2024-05-06T08:00:00Z', key: 'k', type: 'LOAD', value: '1' }]
    expect(await client.send({ machineId: 'm', samples })).to.deep.equal({ accepted: 1, rejected: [] })
    const call = {
      request: 'POST /ingest/samples',
      authorization: 'Bearer takt_secret',
      body: { machineId: 'm', samples },
    }
    expect(calls).to.deep.equal([call, call, call])
    expect(waits).to.deep.equal([`${url} responds 503`, `${url} responds 429`])
  })

  it('The replay client reports the status and code of a rejected batch', async () => {
    answer = () => ({ status: 403, body: { code: 'Forbidden' } })
    const error: unknown = await client.send({ machineId: 'm', samples: [] }).catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('403').and.contain('Forbidden')
    expect(calls).to.have.length(1)
  })

  it('The replay client finds a machine by name, or creates it', async () => {
    const machines: { id: string; name: string }[] = [{ id: 'm1', name: 'Mazak01' }]
    answer = ({ request }) => {
      if (request.startsWith('PUT')) machines.push({ id: request.split('/')[2] ?? '', name: 'Mazak03' })
      return { status: 200, body: machines }
    }
    expect(await client.findOrCreateMachine({ name: 'Mazak01', make: null, model: null })).to.equal('m1')
    const id = await client.findOrCreateMachine({ name: 'Mazak03', make: 'Mazak', model: 'QTN' })
    expect(calls.find(({ request }) => request === `PUT /machines/${id}`)?.body).to.deep.equal({
      name: 'Mazak03',
      make: 'Mazak',
      model: 'QTN',
    })
  })
})

async function readCall(request: IncomingMessage): Promise<Call> {
  const sent = await buffer(request)
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
  const { method, url, headers } = request
  return {
    request: `${method} ${url}`,
    authorization: headers.authorization,
    body: body.length > 0 ? JSON.parse(body.toString()) : null,
  }
}
