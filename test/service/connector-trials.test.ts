import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { Records } from '../../processors/records/records.ts'
import { toConnector } from '../../processors/registrar/commands/connector.ts'
import { ApiError } from '../../schema/errors.ts'
import { ConnectorTrials } from '../../service/connector-trials.ts'
import { SecretFolder } from '../../service/secret-folder.ts'
import { collect } from '../support/collect.ts'
import { directRegistrar } from '../support/registrar.ts'

describe('trials of connectors in a process that stops', () => {
  it('A discovery in progress ends with 503', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const trials = new ConnectorTrials({
        records: new Records(),
        allows: () => true,
        secretFolder: await SecretFolder.open(null),
        recentSamples: async () => [],
        clock: Date.now,
      })
      const address = server.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      const connected = once(server, 'connection')
      const source = { kind: 'mtconnect', address: `http://127.0.0.1:${port}`, seconds: 60 } as const
      const found = collect(trials.port.discover('', source, new AbortController().signal)).catch(
        (error: unknown) => error,
      )
      await connected
      trials.stop()
      const error = await found
      assert.instanceOf(error, ApiError)
      assert.include(error, { status: 503 })
    } finally {
      server.close()
    }
  })
})

describe('trials of connectors with files of secrets', () => {
  it('Discovery and preview send the secret of the file, and a file that is missing is their problem', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'takt-trials-'))
    const sent: unknown[] = []
    const agent = createHttpServer((request, response) => {
      sent.push(request.headers.authorization)
      response.writeHead(401).end()
    }).listen(0, '127.0.0.1')
    const { signal } = new AbortController()
    try {
      await once(agent, 'listening')
      const registrar = directRegistrar('0'.repeat(64))
      const { records, company } = registrar
      mkdirSync(join(folder, company.id))
      writeFileSync(join(folder, company.id, 'agent'), 'sesame\n')
      const secretFolder = await SecretFolder.open(folder)
      const { port } = new ConnectorTrials({
        records,
        allows: () => true,
        secretFolder,
        recentSamples: async () => [],
        clock: Date.now,
      })
      const listening = agent.address()
      const address = `http://127.0.0.1:${listening !== null && typeof listening === 'object' ? listening.port : 0}`
      const source = { kind: 'mtconnect', address, user: 'ann' } as const
      const discover = async (passwordFile: string) => {
        const [found] = await collect(port.discover(company.id, { ...source, secrets: { passwordFile } }, signal))
        return found?.problem?.state
      }
      const preview = async (passwordFile: string) => {
        const input = { id: 'trial', name: 'A', ...source, options: { user: 'ann' }, secrets: { passwordFile } }
        const updates = port.preview(toConnector(input, company.id, null), {}, signal)
        const states: unknown[] = []
        for await (const { state } of updates) states.push(state)
        return states.at(-1)
      }
      assert.equal(await discover('agent'), 'rejected')
      assert.equal(await preview('agent'), 'rejected')
      const authorization = `Basic ${Buffer.from('ann:sesame').toString('base64')}`
      assert.deepEqual(sent, [authorization, authorization])
      assert.equal(await discover('missing'), 'secret_unavailable')
      assert.equal(await preview('missing'), 'secret_unavailable')
      assert.lengthOf(sent, 2)
    } finally {
      agent.close()
      rmSync(folder, { recursive: true })
    }
  })
})
