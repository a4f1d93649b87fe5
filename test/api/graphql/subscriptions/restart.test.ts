import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { type ChildService, startChild } from '../../../support/child-service.ts'
import { testKey } from '../../../support/service.ts'

describe('GraphQL subscriptions of a killed service', function () {
  const dataDir = mkdtempSync(join(tmpdir(), 'takt-graphql-'))
  let service: ChildService
  after(async () => {
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('GraphQL subscriptions of the graphql-ws client resume after the service restarts', async () => {
    service = await startChild({ TAKT_DATA_DIR: dataDir })
    const machineId = randomUUID()
    const rename = async (name: string) =>
      expect((await service.call('PUT', `/machines/${machineId}`, { name })).status).to.equal(200)
    await rename('Mill')
    const { port } = new URL(service.url)
    const connections: string[] = []
    const client = createClient({
      url: `ws://127.0.0.1:${port}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { headers: { authorization: `Bearer ${testKey}` } },
      retryAttempts: 1_000,
      shouldRetry: () => true,
      retryWait: () => sleep(50),
      on: {
        connected: () => connections.push('connected'),
        closed: () => connections.push('closed'),
      },
    })
    const results = client.iterate({ query: 'subscription { machines { name } }' })
    const next = async () => (await results.next()).value
    expect(await next()).to.deep.equal({ data: { machines: [{ name: 'Mill' }] } })
    await rename('Mill 2')
    expect(await next()).to.deep.equal({ data: { machines: [{ name: 'Mill 2' }] } })

    await service.kill()
    service = await startChild({ TAKT_DATA_DIR: dataDir, TAKT_PORT: port })
    expect(await next()).to.deep.equal({ data: { machines: [{ name: 'Mill 2' }] } })
    await rename('Mill 3')
    expect(await next()).to.deep.equal({ data: { machines: [{ name: 'Mill 3' }] } })
    expect(connections.filter(what => what === 'connected')).to.have.length(2)
    await client.dispose()
  })
})
