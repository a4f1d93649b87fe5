import { resultOrThrow } from '../../../../schema/commands/command-log.ts'
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { hashKey } from '../../../../api/auth/key.ts'
import { closeCodes } from '../../../../api/live/transport/plain.ts'
import type { Engine } from '../../../../api/live/transport/server.ts'
import { eventually } from '../../../log/fixture.ts'
import { GraphqlSocket } from '../../../support/graphql-socket.ts'
import { joined, liveClient } from '../../../support/live-client.ts'
import { startService, testKey, type TestService } from '../../../support/service.ts'
import { addKey, addMachine, post } from '../plant.ts'

const engines: readonly Engine[] = ['ws', 'uws']

for (const engine of engines) {
  describe(`live connections on ${engine}`, function () {
    let service: TestService
    const start = async (env: Readonly<Record<string, string>> = {}) => {
      stopped = null
      service = await startService({ env: { TAKT_LIVE_ENGINE: engine, ...env } })
    }
    let stopped: Promise<void> | null = null
    const stop = () => (stopped ??= service.stop())
    afterEach(stop)

    it('Live connections end when the service stops, with a reason after which clients reconnect', async () => {
      await start()
      const clients = await Promise.all(
        (['plain', 'socket.io 4', 'socket.io 2', 'polling'] as const).map(kind =>
          joined(kind, service.url, 'status', testKey),
        ),
      )
      const graphql = await GraphqlSocket.join(service.url, testKey)
      const startedMs = performance.now()
      await stop()
      expect(performance.now() - startedMs).to.be.below(6_000)
      expect(await graphql.whenClosed()).to.deep.equal({ code: closeCodes.going_away, reason: 'going_away' })
      for (const client of clients) await client.until(() => client.ended() !== null)
      // Clients of Socket.IO don't reconnect after 'io server disconnect'.
      expect(clients.map(client => client.ended())).to.not.include('io server disconnect')
      expect(clients[0]?.ended()).to.equal('going_away')
      for (const client of clients) client.close()
    })

    it('A live client that accepts no data is disconnected with the reason while another is served', async () => {
      await start({ TAKT_LIVE_BLOCKED_SECONDS: '1' })
      const machineId = await addMachine(service)
      const slow = await slowReader(service.url)
      slow.send('join', { token: testKey })
      slow.send('set_machines', [machineId])
      const quick = await joined('plain', service.url, 'diagnostics', testKey)
      quick.send('set_machines', [machineId])
      await sleep(100)
      slow.hold()
      const at = Date.now() - 60_000
      const big = 'x'.repeat(8000)
      for (let round = 0; round < 60; round++) {
        const keys = Array.from({ length: 20 }, (_, i) => `k${i}`)
        await post(
          service,
          machineId,
          keys.map(key => ({ at: at + round, key, type: 'T', value: `${round} ${big}` })),
        )
        await quick.until(() => quick.of('update').at(-1)?.value.startsWith(`${round} `), 20_000)
      }
      // Longer than a reader may accept no data.
      await sleep(3_000)
      slow.goOn()
      await slow.closed
      expect(slow.ended()).to.deep.equal([closeCodes.slow_reader, 'slow_reader'])
      expect(quick.ended()).to.equal(null)
      quick.close()
    })

    it('Live connections beyond the limit are rejected until a connection closes', async () => {
      await start({ TAKT_LIVE_CONNECTIONS: '2' })
      const first = await joined('plain', service.url, 'status', testKey)
      await joined('plain', service.url, 'status', testKey)
      await expectRefused(liveClient('plain', service.url, 'status'))
      first.close()
      await eventually(() =>
        liveClient('plain', service.url, 'status').then(
          () => true,
          () => false,
        ),
      )
    })

    it('A WebSocket handshake succeeds only at the address of a channel', async () => {
      await start()
      for (const path of ['/', '/events/machine/', '/events/machine/nothing', '/elsewhere'])
        await expectRefused(once(new WebSocket(service.url.replace('http', 'ws') + path), 'open'))
    })

    it('Only pages of configured origins receive CORS headers for polling of live channels', async () => {
      await start({ TAKT_CORS_ORIGINS: 'https://board.example' })
      const ask = async (origin: string) => {
        const response = await fetch(`${service.url}/socket.io/?EIO=4&transport=polling`, { headers: { origin } })
        expect(response.status).to.equal(200)
        await response.text()
        return response.headers.get('access-control-allow-origin')
      }
      expect(await ask('https://board.example')).to.equal('https://board.example')
      expect(await ask('https://other.example')).to.equal(null)
    })

    it('A live connection has the scopes of its key, ends with it, and sees only its company', async () => {
      await start()
      const { commands, companyId } = service
      const { key, id } = await addKey(service, ['machine.read', 'erp'])
      const other = `a key of another company ${randomUUID()}`
      resultOrThrow(
        await commands.submit(
          'company.create',
          { companyName: 'Other', adminKeyHash: hashKey(other) },
          { companyId: null },
        ),
      )
      const machineId = await addMachine(service)

      const client = await joined('plain', service.url, 'status', key)
      const { body: userToken } = await service.call('GET', '/user-token')
      const user = await joined('plain', service.url, 'status', String(userToken))
      const foreign = await joined('plain', service.url, 'status', other)
      for (const each of [client, user, foreign]) each.send('set_machines', [machineId])
      await foreign.until(() => foreign.of('channel_error_status').length === 1)
      await user.until(() => user.of('update').length === 1)
      expect(foreign.of('channel_error_status')[0].code).to.equal('unknown_machine')
      expect(foreign.of('update')).to.deep.equal([])

      resultOrThrow(await commands.submit('key.patch', { id, name: 'Renamed' }, { companyId, actor: 'test' }))
      await sleep(50)
      expect(client.ended()).to.equal(null)
      resultOrThrow(await commands.submit('key.patch', { id, scopes: ['erp'] }, { companyId, actor: 'test' }))
      // All keys are checked every 15 s.
      await client.until(() => client.ended() !== null, 10_000)
      expect(client.ended()).to.equal('insufficient_scope')
      expect(user.ended()).to.equal(null)
    })

    it('Invalid live commands receive an error, and too many commands are rejected', async () => {
      await start({ TAKT_LIVE_COMMANDS_PER_SECOND: '2' })
      const client = await liveClient('plain', service.url, 'status')
      for (const nonsense of ['nonsense', 'constructor', '__proto__']) client.send(nonsense)
      await client.until(() => client.of('channel_error').length === 3)
      expect(client.of('channel_error').map(({ code }) => code)).to.deep.equal(Array(3).fill('invalid_request'))
      for (let i = 0; i < 20; i++) client.send('join', { token: 'x' })
      await client.until(() => client.of('channel_error').length > 5)
      expect(client.of('channel_error').at(-1).code).to.equal('rate_limited')
      const raw = new WebSocket(`${service.url.replace('http', 'ws')}/events/machine/status`)
      await once(raw, 'open')
      raw.send('{"no json')
      const [answer] = await once(raw, 'message')
      expect(String(answer)).to.contain('invalid_request')
      raw.send(Buffer.alloc(2_000_000))
      await once(raw, 'close')
    })
  })
}

async function expectRefused(connecting: Promise<unknown>): Promise<void> {
  const refusal = await connecting.then(
    () => null,
    (error: unknown) => error,
  )
  expect(refusal).to.be.instanceOf(Error)
}

/** A plain client whose socket can be paused. */
async function slowReader(url: string) {
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}/events/machine/diagnostics`)
  let socket: Socket | null = null
  let ended: readonly [number, string] | null = null
  webSocket.on('upgrade', response => (socket = response.socket))
  webSocket.on('close', (code, reason) => (ended = [code, reason.toString()]))
  const closed = once(webSocket, 'close')
  await once(webSocket, 'open')
  return {
    send: (event: string, data: unknown) => webSocket.send(JSON.stringify({ event, data })),
    hold: () => socket?.pause(),
    goOn: () => socket?.resume(),
    closed,
    ended: () => ended,
  }
}
