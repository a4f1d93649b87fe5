import { expect } from 'chai'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { randomUUID } from 'node:crypto'
import type { ConnectorUpdate, IncidentUpdate } from '../../../../schema/requests/live.ts'
import type { Health } from '../../../../schema/requests/health.ts'
import { loadUws } from '../../../../api/live/transport/load-uws.ts'
import type { Engine } from '../../../../api/live/transport/server.ts'
import { clientKinds, joined, liveClient, type LiveClient } from '../../../support/live-client.ts'
import { noteSkipped } from '../../../support/skipped.ts'
import { startService, testKey, type TestService } from '../../../support/service.ts'
import { addKey, addMachine, iso, post, removeKey, shapeOf } from '../plant.ts'

/** The binary for Node 24 needs a newer glibc than Debian 12 has. On earlier versions of Node, uWebSockets must load. */
function whyUwsCannotRun(): string | null {
  if (Number(process.versions.node.split('.')[0]) < 24) return null
  const causes: string[] = []
  return loadUws(cause => void causes.push(cause)) === null ? causes.join('; ') || 'install uWebSockets.js' : null
}

interface Way {
  readonly engine: Engine
  readonly env: Readonly<Record<string, string>>
  readonly name: string
}

/** On `ws`, channels share the port of the HTTP service; on `uws` they have their own port, to which the HTTP port proxies. */
const ways: readonly Way[] = [
  { engine: 'ws', env: {}, name: 'on ws' },
  { engine: 'uws', env: {}, name: 'on uws, passed on' },
  { engine: 'uws', env: { TAKT_LIVE_PORT: '0' }, name: 'on uws directly' },
]

for (const { engine, env, name } of ways) {
  describe(`live channels ${name}`, function () {
    let service: TestService
    let url: string
    let machineId: string
    const clients: LiveClient[] = []

    before(async function () {
      const unusable = engine === 'uws' ? whyUwsCannotRun() : null
      if (unusable !== null) {
        noteSkipped(`live channels ${name}`, unusable)
        this.skip()
      }
      service = await startService({ env: { TAKT_LIVE_ENGINE: engine, ...env } })
      const health = shapeOf<Health>((await service.call('GET', '/health')).body)
      expect(health.live).to.equal(engine)
      url = health.livePort === null ? service.url : `http://127.0.0.1:${health.livePort}`
      expect(url === service.url).to.equal(env['TAKT_LIVE_PORT'] === undefined)
      machineId = await addMachine(service)
    })
    after(() => service?.stop())
    afterEach(() => {
      for (const client of clients.splice(0)) client.close()
    })
    const keep = async (client: Promise<LiveClient>) => {
      const connected = await client
      clients.push(connected)
      return connected
    }

    it('A live frame that is not UTF-8 is rejected', async () => {
      const client = await keep(joined('plain', url, 'status', testKey))
      client.sendBytes?.(Buffer.from(`{"event":"set_machines","data":["${machineId}"],"x":"\xe4"}`, 'latin1'))
      await client.until(() => client.of('channel_error').length === 1)
      expect(client.of('channel_error')[0]).to.include({ code: 'invalid_request' })
      expect(client.of('update')).to.deep.equal([])
    })

    it('A polling client of Socket.IO 2 can send packets as a binary payload, in several chunks, and as text', async () => {
      const session = await pollingSession(url)
      await session.post(binaryPayload(['40/events/machine/status,']))
      const join = JSON.stringify(['join', { token: testKey }])
      const command = JSON.stringify(['set_machines', ['nicht \u00e4 machine \u{1f600}', machineId]])
      await session.post(binaryPayload([`42/events/machine/status,${join}`]), 7)
      await session.until('channel_join_success')
      await session.post(Buffer.from(textPayload([`42/events/machine/status,${command}`])), undefined, 'text/plain')
      await session.until('channel_error')
      const good = JSON.stringify(['set_machines', [machineId]])
      await session.post(binaryPayload(['2', `42/events/machine/status,${good}`]))
      await session.until(`"machineId":"${machineId}"`)
    })

    for (const version of [3, 4])
      it(`A text of a polling client of Engine.IO ${version} that is not UTF-8 is rejected, and ends its session`, async () => {
        const session = await pollingSession(url, version)
        const bytes = Buffer.from('42/events/machine/status,["join",{"token":"\xe4"}]', 'latin1')
        const body = version === 3 ? Buffer.concat([Buffer.from(`${bytes.length}:`), bytes]) : bytes
        const { status, text: answer } = await session.send(body, 5)
        expect(status, answer).to.equal(400)
        expect(JSON.parse(answer)).to.include({ message: 'Problem parsing JSON: it is not valid UTF-8' })
        expect((await session.send(Buffer.from(version === 3 ? '1:2' : '2'))).status).to.equal(400)
      })

    it('A text of a polling client may come in chunks that divide its characters', async () => {
      const session = await pollingSession(url, 4)
      await session.post(Buffer.from('40/events/machine/status,'), undefined, 'text/plain')
      const join = JSON.stringify(['join', { token: testKey }])
      await session.post(Buffer.from(`42/events/machine/status,${join}`), undefined, 'text/plain')
      const command = JSON.stringify(['set_machines', [machineId], '\u00e4\u{1f600}'.repeat(20)])
      await session.post(Buffer.from(`42/events/machine/status,${command}`), 1, 'text/plain')
      await session.until(`"machineId":"${machineId}"`)
    })

    for (const kind of clientKinds) {
      describe(`for ${kind}`, () => {
        it('A join with an invalid key fails, and a join with a valid one succeeds', async () => {
          const client = await keep(liveClient(kind, url, 'status'))
          client.send('set_machines', [machineId])
          client.send('join', { token: 'not a key that anybody was given, ever' })
          client.send('join', {})
          client.send('join', { token: testKey })
          await client.until(() => client.of('channel_join_success').length === 1)
          expect(client.of('channel_error').map(({ code }) => code)).to.deep.equal(['not_joined'])
          const failures = client.of('channel_join_failure')
          expect(failures.map(({ code }) => code)).to.deep.equal(['invalid_token', 'invalid_request'])
          expect(failures[1].message).to.contain('token')
          expect(client.of('channel_join_success')).to.deep.equal([{ channel: 'status' }])
        })

        it('The status of a machine is sent once and then on each change, with its faults', async () => {
          const machine = await addMachine(service)
          const client = await keep(joined(kind, url, 'status', testKey))
          client.send('set_machines', [machine])
          await client.until(() => client.of('update').length === 1)
          expect(client.of('update')[0]).to.include({ machineId: machine, status: 'UNAVAILABLE' })

          const at = Date.now() - 60_000
          await post(service, machine, [
            { at, key: 'execution', type: 'EXECUTION', value: 'ACTIVE' },
            { at, key: 'load', type: 'LOAD', value: 1 },
          ])
          await client.until(() => client.of('update').length === 2)
          expect(client.of('update')[1]).to.deep.equal({ machineId: machine, timestamp: iso(at), status: 'ACTIVE' })

          const fault = { at: at + 1000, key: 'system', type: 'SYSTEM', category: 'CONDITION', value: 'FAULT' }
          await post(service, machine, [{ ...fault, message: 'hot', nativeCode: '7' }])
          await client.until(() => client.of('update').length === 3)
          expect(client.of('update')[2]).to.deep.equal({
            machineId: machine,
            timestamp: iso(at + 1000),
            status: 'FAULT',
            message: 'hot',
            faults: [{ key: 'system', type: 'SYSTEM', value: 'FAULT', timestamp: iso(at + 1000) }],
          })

          const late = await keep(joined(kind, url, 'status', testKey))
          late.send('set_machines', [machine])
          await late.until(() => late.of('update').length === 1)
          expect(late.of('update')).to.deep.equal(client.of('update').slice(2))
        })

        it('Every metric of a machine is sent once and then on each change of its value, in order', async () => {
          const machine = await addMachine(service)
          const at = Date.now() - 60_000
          await post(service, machine, [
            { at, key: 'load', type: 'LOAD', subtype: 'ACTUAL', value: 1.5 },
            { at, key: 'mode "x"', type: 'MODE', value: 'AUTO' },
          ])
          await service.settled()
          const client = await keep(joined(kind, url, 'diagnostics', testKey))
          client.send('set_machines', [machine])
          await client.until(() => client.of('update').length === 2)
          expect(client.of('update')).to.have.deep.members([
            {
              machineId: machine,
              timestamp: iso(at).replace('T', ' '),
              key: 'load',
              type: 'LOAD',
              value: '1.5',
              subtype: 'ACTUAL',
            },
            {
              machineId: machine,
              timestamp: iso(at).replace('T', ' '),
              key: 'mode "x"',
              type: 'MODE',
              value: 'AUTO',
              subtype: '',
            },
          ])
          const values = [1.5, 2, 2, 3, 3, 4]
          for (const [index, value] of values.entries()) {
            await post(service, machine, [{ at: at + index, key: 'load', type: 'LOAD', subtype: 'ACTUAL', value }])
            await client.until(() => client.of('update').findLast(({ key }) => key === 'load')?.value === String(value))
          }
          await service.settled()
          expect(
            client
              .of('update')
              .slice(2)
              .map(({ value }) => value),
          ).to.deep.equal(['2', '3', '4'])
        })

        it('Between the initial values and the changes, no value is missing and none is sent twice', async () => {
          const machine = await addMachine(service)
          const at = Date.now() - 60_000
          const total = 40
          // A metric with one value is sent once to every client; a changing one may be sent less often, but never out of order.
          const tell = (value: number) =>
            post(service, machine, [
              { at: at + value, key: `only ${value}`, type: 'LOAD', value },
              { at: at + value, key: 'load', type: 'LOAD', value },
            ])
          await tell(0)
          const sending = (async () => {
            for (let value = 1; value <= total; value++) await tell(value)
          })()
          const followers = await Promise.all(
            Array.from({ length: 5 }, async (_, i) => {
              await new Promise(resolve => setTimeout(resolve, i * 30))
              const client = await keep(joined(kind, url, 'diagnostics', testKey))
              client.send('set_machines', [machine])
              return client
            }),
          )
          await sending
          for (const client of followers) {
            const valuesOf = (isWanted: (key: string) => boolean): number[] =>
              client.of('update').flatMap(({ key, value }) => (isWanted(key) ? [Number(value)] : []))
            await client.until(() => valuesOf(key => key === 'load').at(-1) === total)
            const only = valuesOf(key => key !== 'load')
            expect(only.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: total + 1 }, (_, i) => i))
            const changing = valuesOf(key => key === 'load')
            expect(changing).to.deep.equal([...new Set(changing)].sort((a, b) => a - b))
          }
        })

        it('On a live channel known machines are served, and unknown ones are named in an error', async () => {
          const [known, foreign] = [await addMachine(service), randomUUID()]
          const client = await keep(joined(kind, url, 'status', testKey))
          client.send('set_machines', [known, foreign])
          await client.until(() => client.of('channel_error_status').length === 1 && client.of('update').length === 1)
          expect(client.of('channel_error_status')[0]).to.deep.include({
            code: 'unknown_machine',
            machineIds: [foreign],
          })
          client.send('set_machines', known)
          await client.until(() => client.of('channel_error_status').length === 2)
          expect(client.of('channel_error_status')[1]).to.include({ code: 'invalid_machines' })
        })

        it('A new set of machines replaces the previous one, and no machine is followed after leaving', async () => {
          const [a, b] = [await addMachine(service), await addMachine(service)]
          const client = await keep(joined(kind, url, 'status', testKey))
          client.send('set_machines', [a])
          await client.until(() => client.of('update').length === 1)
          client.send('set_machines', [a, b])
          await client.until(() => client.of('update').length === 2)
          client.send('set_machines', [b])
          const at = Date.now() - 5000
          const running = (value: string) => ({ at, key: 'execution', type: 'EXECUTION', value })
          for (const machine of [a, b]) await post(service, machine, [running('ACTIVE')])
          await client.until(() => client.of('update').length === 3)
          client.send('leave')
          client.send('set_machines', [a])
          await client.until(() => client.of('channel_error').length === 1)
          for (const machine of [a, b]) await post(service, machine, [{ ...running('READY'), at: at + 1 }])
          await service.settled()
          const told = client.of('update').map(({ machineId, status }) => [machineId, status])
          expect(told).to.deep.equal([
            [a, 'UNAVAILABLE'],
            [b, 'UNAVAILABLE'],
            [b, 'ACTIVE'],
          ])
          expect(client.of('channel_error')[0].code).to.equal('not_joined')
        })

        it('A live connection closes with a reason soon after its key is deleted, before the periodic check of keys', async () => {
          const { key, id } = await addKey(service, ['machine.read'])
          const client = await keep(joined(kind, url, 'diagnostics', key))
          await removeKey(service, id)
          // All keys are checked every 15 s.
          await client.until(() => client.ended() !== null, 10_000)
          expect(client.of('channel_error').map(({ code }) => code)).to.deep.equal(['invalid_token'])
        })

        it('Every connector of the company is sent once, then its changes, and its removal', async () => {
          const id = randomUUID()
          const put = async (enabled: boolean) => {
            const { status } = await service.call('PUT', `/connectors/${id}`, { name: id, kind: 'http', enabled })
            expect(status).to.equal(200)
          }
          await put(true)
          const client = await keep(joined(kind, url, 'connectors', testKey))
          const updates = () => shapeOf<readonly ConnectorUpdate[]>(client.of('update')).filter(each => each.id === id)
          await client.until(() => updates().length > 0)
          const { body } = await service.call('GET', `/connectors/${id}`)
          expect(body).to.deep.include(updates()[0])
          await put(false)
          await client.until(() => updates().length > 1)
          expect(updates().map(({ state }) => state)).to.deep.equal(['connected', 'disabled'])
          await service.call('DELETE', `/connectors/${id}`)
          await client.until(() => client.of('removed').length > 0)
          expect(client.of('removed')).to.deep.equal([{ id }])
        })

        it('The connectors are sent to keys with the scope connector.read only', async () => {
          const operator = await addKey(service, ['machine.read', 'reporting'])
          const client = await keep(liveClient(kind, url, 'connectors'))
          client.send('join', { token: operator.key })
          await client.until(() => client.of('channel_join_failure').length === 1)
          expect(client.of('channel_join_failure')[0]).to.include({ code: 'insufficient_scope' })
          const reader = await addKey(service, ['connector.read'])
          await keep(joined(kind, url, 'connectors', reader.key))
        })

        it('Every unresolved incident that the filter selects is sent once, then each change', async () => {
          const [machine, other] = [await addMachine(service), await addMachine(service)]
          const call = async (id: string, kind: string) => {
            const { status, body } = await service.call('POST', '/calls', { machineId: id, kind, note: 'Öl' })
            expect(status).to.equal(200)
            return shapeOf<IncidentUpdate['incident']>(body).id
          }
          const id = await call(machine, 'help')
          const client = await keep(joined(kind, url, 'incidents', testKey))
          client.send('set_filter', { machineIds: [machine] })
          await client.until(() => client.of('listed').length === 1)
          await call(other, 'help')
          for (const action of ['acknowledge', 'resolve'])
            expect((await service.call('POST', `/incidents/${id}/${action}`)).status).to.equal(200)
          await client.until(() => client.of('update').some(({ incident }) => incident.state === 'resolved'))
          const updates = shapeOf<readonly IncidentUpdate[]>(client.of('update'))
          expect(new Set(updates.map(({ incident }) => incident.id))).to.deep.equal(new Set([id]))
          expect(updates[0]).to.deep.include({ forYou: false })
          expect(updates[0]?.incident).to.deep.include({
            state: 'open',
            detail: { call: { kind: 'help', note: 'Öl' } },
          })
          const { body } = await service.call('GET', `/incidents/${id}`)
          expect(body).to.deep.include(updates.at(-1)?.incident)
        })

        it('A live filter of incidents with errors is rejected, and one with unknown machines reports them', async () => {
          const client = await keep(joined(kind, url, 'incidents', testKey))
          client.send('set_filter', { ruleIds: Array.from({ length: 1_001 }, () => 'r') })
          client.send('set_filter', { kinds: ['fire'] })
          client.send('set_filter', 7)
          client.send('set_filter', { machineIds: ['no machine'] })
          await client.until(() => client.of('channel_error_incidents').length === 4)
          expect(client.of('channel_error_incidents').map(({ code }) => code)).to.deep.equal([
            ...Array.from({ length: 3 }, () => 'invalid_request'),
            'unknown_machine',
          ])
          await client.until(() => client.of('listed').length === 1)
          expect(client.of('update')).to.deep.equal([])
        })

        it('Incidents are sent to keys with the scope incident.read only, until the key is deleted', async () => {
          const other = await addKey(service, ['machine.read', 'reporting', 'connector.read'])
          const client = await keep(liveClient(kind, url, 'incidents'))
          client.send('join', { token: other.key })
          client.send('set_filter', {})
          await client.until(() => client.of('channel_error').length === 1)
          expect(client.of('channel_join_failure')[0]).to.include({ code: 'insufficient_scope' })
          expect(client.of('channel_error')[0]).to.include({ code: 'not_joined' })
          const { key, id } = await addKey(service, ['incident.read'])
          const reader = await keep(joined(kind, url, 'incidents', key))
          await removeKey(service, id)
          await reader.until(() => reader.ended() !== null, 10_000)
          expect(reader.of('channel_error').map(({ code }) => code)).to.deep.equal(['invalid_token'])
        })

        it('On a live channel a key without the scope is rejected, and so is every stream except raw', async () => {
          const { key } = await addKey(service, ['erp'])
          const client = await keep(liveClient(kind, url, 'diagnostics'))
          client.send('join', { token: key })
          client.send('join', { token: testKey, stream: 'cooked' })
          await client.until(() => client.of('channel_join_failure').length === 2)
          const codes = client.of('channel_join_failure').map(({ code }) => code)
          expect(codes).to.deep.equal(['insufficient_scope', 'unsupported_stream'])
        })

        if (kind !== 'plain')
          it('Commands on a live channel are acknowledged', async () => {
            const client = await keep(liveClient(kind, url, 'status'))
            expect(await client.ask?.('join', { token: testKey })).to.deep.equal({ channel: 'status' })
            expect(await client.ask?.('set_machines', [machineId])).to.deep.equal({ machineIds: [machineId] })
            expect(await client.ask?.('set_machines', 7)).to.include({ code: 'invalid_machines' })
            expect(await client.ask?.('leave')).to.equal(null)
          })
      })
    }
  })
}

/** A session of Engine.IO by polling only. */
async function pollingSession(url: string, version = 3) {
  const address = `${url}/socket.io/?EIO=${version}&transport=polling`
  const opened = await (await fetch(address)).text()
  const { sid }: { sid: string } = JSON.parse(/\{.*?\}/.exec(opened)?.[0] ?? '{}')
  let received = ''
  return {
    send: (body: Buffer, partBytes = body.length) =>
      postInParts(`${address}&sid=${sid}`, body, partBytes, 'text/plain;charset=UTF-8'),
    /** Posts a payload, in chunks of `partBytes` if that is set. */
    async post(payload: Buffer, partBytes = payload.length, type = 'application/octet-stream') {
      const { status, text } = await postInParts(`${address}&sid=${sid}`, payload, partBytes, type)
      expect([status, text]).to.deep.equal([200, 'ok'])
    },
    /** Polls until the received packets contain a text. */
    async until(text: string) {
      while (!received.includes(text)) received += await (await fetch(`${address}&sid=${sid}`)).text()
    },
  }
}

function postInParts(address: string, payload: Buffer, partBytes: number, type: string) {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const headers = { 'Content-Type': type, 'Content-Length': payload.length }
    const posted = request(address, { method: 'POST', headers }, response => {
      text(response).then(body => resolve({ status: response.statusCode, text: body }), reject)
    })
    posted.once('error', reject)
    posted.setNoDelay(true)
    const write = (from: number): void => {
      if (from + partBytes >= payload.length) posted.end(payload.subarray(from))
      else posted.write(payload.subarray(from, from + partBytes), () => setImmediate(write, from + partBytes))
    }
    write(0)
  })
}

/** Packets of Engine.IO 3 as a binary payload: 0 (text), the digits of the length, 255, the packet. */
function binaryPayload(packets: readonly string[]): Buffer {
  return Buffer.concat(
    packets.flatMap(packet => {
      const bytes = Buffer.from(packet)
      return [Buffer.from([0, ...Array.from(String(bytes.length), Number), 255]), bytes]
    }),
  )
}

/** Packets of Engine.IO 3 as a text payload: the length in characters, a colon, the packet. */
function textPayload(packets: readonly string[]): string {
  return packets.map(packet => `${packet.length}:${packet}`).join('')
}
