import { resultOrThrow } from '../../../../schema/commands/command-log.ts'
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { hashKey } from '../../../../api/auth/key.ts'
import { closeCodes } from '../../../../api/live/transport/plain.ts'
import type { Engine } from '../../../../api/live/transport/server.ts'
import { joined, liveClient, type LiveClient } from '../../../support/live-client.ts'
import { startService, testKey, type TestService } from '../../../support/service.ts'
import { addMachine } from '../plant.ts'

const engines: readonly Engine[] = ['ws', 'uws']

/** A plain connection with its received messages and its end. */
interface Guest {
  readonly socket: WebSocket
  readonly told: { readonly event: string; readonly data: { readonly code?: string } }[]
  ended: readonly [number, string] | null
}

for (const engine of engines) {
  describe(`hostile clients of the live channels on ${engine}`, function () {
    let service: TestService
    const open: { close(): void }[] = []
    const env = { TAKT_LIVE_CONNECTIONS: '16', TAKT_LIVE_UNJOINED_PER_ADDRESS: '3', TAKT_LIVE_JOIN_SECONDS: '5' }

    before(async () => {
      service = await startService({ env: { TAKT_LIVE_ENGINE: engine, ...env } })
    })
    after(() => service?.stop())
    afterEach(async () => {
      for (const each of open.splice(0)) each.close()
      await sleep(100)
    })
    const keep = async (client: Promise<LiveClient>): Promise<LiveClient> => {
      const connected = await client
      open.push(connected)
      return connected
    }
    /** Connects as a client at the address in the header of a proxy. */
    const guest = async (address: string, path = '/events/machine/status'): Promise<Guest> => {
      const headers = { 'x-forwarded-for': address }
      const socket = new WebSocket(`${service.url.replace('http', 'ws')}${path}`, { headers })
      const opened: Guest = { socket, told: [], ended: null }
      socket.on('message', (data: Buffer) => opened.told.push(JSON.parse(data.toString())))
      socket.on('close', (code, reason) => (opened.ended = [code, reason.toString()]))
      open.push({ close: () => socket.terminate() })
      await once(socket, 'open')
      return opened
    }
    const refused = (connecting: Promise<Guest>): Promise<boolean> =>
      connecting.then(
        () => false,
        () => true,
      )
    const until = async (when: () => boolean): Promise<void> => {
      const untilMs = performance.now() + 60_000
      while (!when()) {
        expect(performance.now(), 'in time').to.be.below(untilMs)
        await sleep(10)
      }
    }

    it('A live client that does not join in time is closed with the reason, and joined clients stay', async () => {
      const member = await keep(joined('plain', service.url, 'status', testKey))
      const plain = await guest('192.0.2.1')
      const io = await keep(liveClient('socket.io 4', service.url, 'status'))
      // Without any channel.
      const engineOnly = new WebSocket(`${service.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
      const engineClosed = once(engineOnly, 'close')
      await Promise.all([until(() => plain.ended !== null), until(() => io.ended() !== null), engineClosed])
      expect(plain.ended).to.deep.equal([closeCodes.join_timeout, 'join_timeout'])
      for (const told of [plain.told.map(({ data }) => data.code), io.of('channel_error').map(({ code }) => code)])
        expect(told).to.deep.equal(['join_timeout'])
      expect(member.ended()).to.equal(null)
    })

    it('The number of live clients without a join is limited per address and in all, and the oldest is closed for a new one', async () => {
      const first = await guest('192.0.2.1')
      await guest('192.0.2.1')
      await guest('192.0.2.1')
      expect(await refused(guest('192.0.2.1'))).to.equal(true)
      expect(
        (await fetch(`${service.url}/socket.io/?EIO=4&transport=polling`, forwardedFor('192.0.2.1'))).status,
      ).to.equal(403)
      await guest('192.0.2.2')
      const other = await guest('192.0.2.3')
      await until(() => first.ended !== null)
      expect(first.ended).to.deep.equal([closeCodes.too_many_connections, 'too_many_connections'])
      other.socket.send(JSON.stringify({ event: 'join', data: { token: testKey } }))
      await until(() => other.told.length === 1)
      expect(other.told[0]?.event).to.equal('channel_join_success')
    })

    it('A large message before the join is not parsed, and a client that sends more of them is disconnected', async () => {
      const client = await guest('192.0.2.4')
      client.socket.send(`{"event":"set_machines","data":"${'x'.repeat(20_000)}`)
      await until(() => client.told.length === 1)
      expect(client.told[0]?.data.code).to.equal('not_joined')
      const large = Buffer.alloc(1_000_000, '[')
      for (let i = 0; i < 30; i++) client.socket.send(large)
      await until(() => client.ended !== null)
      expect(client.told.map(({ data }) => data.code)).to.include('rate_limited')
    })

    it('Endless pings or pongs disconnect a live client', async () => {
      const [pings, pongs] = [await guest('192.0.2.6'), await guest('192.0.2.6')]
      for (let i = 0; i < 3000; i++) {
        pings.socket.ping()
        pongs.socket.pong()
      }
      await until(() => pings.ended !== null && pongs.ended !== null)
      // It may have been disconnected before it could read the reason.
      for (const { ended } of [pings, pongs]) expect(ended?.[0]).to.be.oneOf([closeCodes.rate_limited, 1006])
    })

    if (engine === 'ws')
      it('A message in too many fragments disconnects a live client', async () => {
        for (const path of ['/events/machine/status', '/socket.io/?EIO=4&transport=websocket']) {
          const socket = new WebSocket(`${service.url.replace('http', 'ws')}${path}`)
          const closed = once(socket, 'close')
          await once(socket, 'open')
          for (let i = 0; i < 100; i++) socket.send(' ', { fin: false })
          expect((await closed)[0], path).to.equal(1008)
        }
      })

    it('A live client can send the ids of 19,000 machines immediately after its join', async () => {
      const machineId = await addMachine(service)
      const client = await guest('192.0.2.5')
      const ids = [machineId, ...Array.from({ length: 19_000 }, () => randomUUID())]
      client.socket.send(JSON.stringify({ event: 'join', data: { token: testKey } }))
      client.socket.send(JSON.stringify({ event: 'set_machines', data: ids }))
      await until(() => client.told.some(({ event }) => event === 'update'))
    })

    it('The number of tokens tried on one live connection is limited', async () => {
      const client = await keep(liveClient('plain', service.url, 'status'))
      for (let i = 0; i < 30; i++) client.send('join', { token: `a token that nobody was given, number ${i}` })
      await client.until(() => client.of('channel_join_failure').length === 30)
      const codes = client.of('channel_join_failure').map(({ code }) => code)
      expect(codes.filter(code => code === 'invalid_token').length).to.be.within(1, 15)
      expect(codes.filter(code => code === 'rate_limited').length).to.be.at.least(15)
    })

    it('Live connections of one company do not reduce the share of another company', async () => {
      const otherKey = `a key of another company ${randomUUID()}`
      resultOrThrow(
        await service.commands.submit(
          'company.create',
          { companyName: 'Other', adminKeyHash: hashKey(otherKey) },
          { companyId: null },
        ),
      )
      for (let i = 0; i < 8; i++) await keep(joined('plain', service.url, 'status', testKey))
      const ninth = await keep(liveClient('plain', service.url, 'status'))
      ninth.send('join', { token: testKey })
      await ninth.until(() => ninth.of('channel_join_failure').length === 1)
      expect(ninth.of('channel_join_failure')[0].code).to.equal('too_many_connections')
      for (let i = 0; i < 3; i++) await keep(joined('plain', service.url, 'status', otherKey))
    })

    it('The path of a live channel is accepted with an additional slash', async () => {
      for (const path of ['/events/machine/status/', '//events/machine/status', '//events//machine/status/?a=b'])
        await guest('192.0.2.6', path)
      const machineId = await addMachine(service)
      const client = await keep(joined('socket.io 4', `${service.url}/`, 'status', testKey))
      expect(await client.ask?.('set_machines', [machineId])).to.deep.equal({ machineIds: [machineId] })
      await client.until(() => client.of('update').length === 1)
    })
  })
}

function forwardedFor(address: string): RequestInit {
  return { headers: { 'x-forwarded-for': address } }
}
