import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { GraphqlSocket } from '../../../support/graphql-socket.ts'
import { startService, type TestService, testKey } from '../../../support/service.ts'

const subscription = 'subscription { machines { name } }'

describe('GraphQL WebSockets', function () {
  let service: TestService
  const open: GraphqlSocket[] = []
  const join = async (options: Parameters<typeof GraphqlSocket.join>[2] = {}) => {
    const socket = await GraphqlSocket.join(service.url, testKey, options)
    open.push(socket)
    return socket
  }
  const connect = async (options: ConstructorParameters<typeof GraphqlSocket>[1] = {}) => {
    const socket = new GraphqlSocket(service.url, options)
    open.push(socket)
    await socket.until(() => socket.webSocket.readyState === socket.webSocket.OPEN)
    return socket
  }

  before(async () => {
    service = await startService({
      env: {
        TAKT_LIVE_JOIN_SECONDS: '1',
        TAKT_LIVE_UNJOINED_PER_ADDRESS: '5',
        TAKT_GRAPHQL_SUBSCRIPTIONS_PER_CONNECTION: '3',
        TAKT_GRAPHQL_SUBSCRIPTION_ROWS: '4',
        TAKT_GRAPHQL_SUBSCRIPTION_BYTES: '1024',
        TAKT_GRAPHQL_MESSAGE_LIMIT: '65536',
        TAKT_GRAPHQL_RATE_LIMIT: '20',
      },
    })
    for (const name of ['A', 'B']) await service.call('PUT', `/machines/${randomUUID()}`, { name })
  })
  after(() => service.stop())
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close()
  })

  it('A GraphQL WebSocket that sends no token in time is closed', async () => {
    const socket = await connect()
    expect(await socket.whenClosed()).to.deep.equal({ code: 4408, reason: 'join_timeout' })
  })

  it('The number of GraphQL WebSockets without a token is limited per address', async () => {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => connect()))
    const refused = new GraphqlSocket(service.url)
    open.push(refused)
    await refused.whenClosed()
    expect(refused.closed?.code).to.equal(1006)
    for (const socket of sockets) socket.close()
  })

  it('A GraphQL WebSocket without a supported subprotocol is closed', async () => {
    const socket = await connect({ protocol: 'graphql-ws' })
    expect(socket.webSocket.protocol).to.equal('graphql-ws')
    const { WebSocket } = await import('ws')
    const bare = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`)
    const code = await new Promise<number>(resolve => bare.on('close', resolve))
    expect(code).to.equal(4406)
  })

  for (const [what, message, code] of [
    ['Invalid JSON', '{', 4400],
    ['An array instead of a message', '[]', 4400],
    ['A message of unknown type', '{"type":"constructor"}', 4400],
    ['An operation before the token', '{"id":"1","type":"subscribe","payload":{"query":"{ a }"}}', 4401],
    ['A large message before the token', `{"type":"ping","payload":"${'x'.repeat(20_000)}"}`, 4401],
    ['JSON that is deep', '['.repeat(10_000), 4400],
    ['bytes that are not UTF-8', Buffer.from('{"type":"ping","payload":{"a":"\xe4"}}', 'latin1'), 4400],
  ] as const)
    it(`${what} closes the GraphQL WebSocket`, async () => {
      const socket = await connect()
      socket.send(message)
      expect((await socket.whenClosed()).code).to.equal(code)
    })

  it('A message beyond the size limit, a second init and a repeated id close the GraphQL WebSocket', async () => {
    const large = await join()
    large.send('x'.repeat(70_000))
    expect((await large.whenClosed()).code).to.equal(1009)
    const twice = await join()
    twice.send({ type: 'connection_init' })
    expect((await twice.whenClosed()).code).to.equal(4429)
    const same = await join()
    same.start('1', subscription)
    same.start('1', subscription)
    expect((await same.whenClosed()).code).to.equal(4409)
  })

  it('Too many messages close the GraphQL WebSocket', async () => {
    const socket = await join()
    for (let i = 0; i < 3000 && socket.closed === null; i++) socket.send({ type: 'ping' })
    expect((await socket.whenClosed()).code).to.equal(4429)
  })

  it('Too many pongs close the GraphQL WebSocket', async () => {
    const socket = await join()
    for (let i = 0; i < 3000 && socket.closed === null; i++) socket.webSocket.pong()
    expect((await socket.whenClosed()).code).to.equal(4429)
  })

  it('A message in too many fragments closes the GraphQL WebSocket', async () => {
    const socket = await connect()
    for (let i = 0; i < 20; i++) socket.webSocket.send(' ', { fin: false })
    expect((await socket.whenClosed()).code).to.equal(1008)
    const whole = await join()
    const message = JSON.stringify({ id: '1', type: 'subscribe', payload: { query: subscription } })
    for (const part of [message.slice(0, 10), message.slice(10, 20)]) whole.webSocket.send(part, { fin: false })
    whole.webSocket.send(message.slice(20))
    await whole.until(() => whole.results('1').length > 0)
  })

  it('The number of operations on a GraphQL WebSocket is limited, and a completed operation makes space for another', async () => {
    const socket = await join()
    for (const id of ['1', '2', '3', '4']) socket.start(id, subscription)
    await socket.until(() => socket.codes('4').length > 0)
    expect(socket.codes('4')).to.deep.equal(['start-failed'])
    socket.send({ type: 'complete', id: '1' })
    socket.start('5', subscription)
    await socket.until(() => socket.results('5').length > 0)
  })

  it('Depth, fields and result size of an operation on a GraphQL WebSocket are limited', async () => {
    const socket = await join()
    const nested = (levels: number): string =>
      levels === 0 ? 'name' : `activitySets { machine { ${nested(levels - 1)} } }`
    socket.start('deep', `subscription { machines { ${nested(8)} } }`)
    await socket.until(() => socket.codes('deep').length > 0)
    expect(socket.codes('deep')).to.deep.equal(['depth-limit-exceeded'])
    socket.start(
      'fields',
      `subscription { machines { ${'...F '.repeat(30)} } } fragment F on MachineTP { ${'name '.repeat(100)} }`,
    )
    await socket.until(() => socket.codes('fields').length > 0)
    expect(socket.codes('fields')).to.deep.equal(['node-limit-exceeded'])
    const many = Array.from({ length: 30 }, (_, i) => `a${i}: name`).join(' ')
    socket.start('bytes', `subscription { machines { ${many} machineId } }`)
    socket.start('rows', 'subscription { machines { machineGroups { machines { name } } name } }')
    await socket.until(() => socket.results('rows').length > 0 || socket.codes('rows').length > 0)
    await service.call('PUT', `/machines/${randomUUID()}`, { name: 'C'.repeat(40) })
    await service.call('PUT', `/machines/${randomUUID()}`, { name: 'D'.repeat(40) })
    await socket.until(() => socket.codes('bytes').length > 0)
    expect(socket.codes('bytes')).to.deep.equal(['row-limit-exceeded'])
    await service.call('PUT', `/machines/${randomUUID()}`, { name: 'E' })
    await socket.until(() => socket.codes('rows').length > 0)
    expect(socket.codes('rows')).to.deep.equal(['row-limit-exceeded'])
  })

  it('The number of queries per minute on a GraphQL WebSocket is limited, and subscriptions do not count', async () => {
    const socket = await join()
    for (let i = 0; i < 25; i++) {
      socket.start(`${i}`, '{ Company { name } }')
      await socket.until(() => socket.results(`${i}`).length + socket.codes(`${i}`).length > 0)
    }
    expect(socket.codes('24')).to.deep.equal(['rate-limit-exceeded'])
    socket.start('s', 'subscription { Company { name } }')
    await socket.until(() => socket.results('s').length > 0)
  })

  it('Arbitrary messages on a GraphQL WebSocket leave the service healthy', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.json(),
            fc.string(),
            fc.record({
              type: fc.constantFrom('subscribe', 'start', 'stop', 'complete', 'ping', 'pong', '__proto__'),
              id: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1'), fc.integer()),
              payload: fc.oneof(
                fc.json(),
                fc.record({
                  query: fc.constantFrom(
                    subscription,
                    '{ __typename }',
                    'mutation { a }',
                    'subscription { __typename }',
                    '',
                  ),
                  variables: fc.oneof(fc.object(), fc.constant(null)),
                  operationName: fc.oneof(fc.string(), fc.constant(null)),
                }),
              ),
            }),
          ),
          { maxLength: 5 },
        ),
        fc.constantFrom('graphql-transport-ws' as const, 'graphql-ws' as const),
        async (messages, protocol) => {
          const socket = await join({ protocol })
          for (const message of messages) socket.send(message)
          socket.close()
          const { status } = await service.call('GET', '/health')
          expect(status).to.equal(200)
        },
      ),
      { numRuns: 40 },
    ))
})
