import { expect } from 'chai'
import { hashKey } from '../../../../api/auth/key.ts'
import { hashPassword } from '../../../../api/auth/password.ts'
import { resultOrThrow } from '../../../../schema/commands/command-log.ts'
import { GraphqlSocket } from '../../../support/graphql-socket.ts'
import { startService, type TestService, testKey } from '../../../support/service.ts'
import { addKey, addMachine, post } from '../../live/plant.ts'

const otherKey = 'a-key-of-the-other-company-in-these-tests'
const names = 'subscription { machines { name } }'
/** Limit of operations of all connections; each of two companies may have half of them. */
const maxOperations = 24
const valueChars = 8_000
const rounds = 10
/** Number of occurrences of the value in a result: 2.4 MB. */
const repeats = 300

describe('limits of GraphQL subscriptions', function () {
  let service: TestService
  let machineId: string
  let expiring: GraphqlSocket
  const open: GraphqlSocket[] = []

  const join = async (key = testKey) => {
    const socket = await GraphqlSocket.join(service.url, key)
    open.push(socket)
    return socket
  }
  const list = 'currentStates(where: {metricKey: {_eq: "program"}})'
  const values = `${list} { ${Array.from({ length: repeats }, (_, i) => `v${i}: value`).join(' ')} }`
  const send = (round: number) => {
    const value = `${round} ${'x'.repeat(valueChars)}`
    return post(service, machineId, [{ at: Date.now(), key: 'program', type: 'PROGRAM', value }])
  }
  const roundOf = (result: unknown) => {
    const [rows] = Object.values(result ?? {})
    return Number.parseInt(rows?.[0]?.v0 ?? '-1', 10)
  }
  /** Returns the number of operations in progress of all connections. */
  const operations = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^takt_graphql_operations (\d+)/m.exec(metrics)?.[1])
  }
  const follow = async (key?: string) => {
    const socket = await join(key)
    socket.start('1', names)
    await socket.until(() => socket.results('1').length === 1)
    return socket
  }
  const tokenFor = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const answer = await fetch(`${service.url}/user-token?graphql=1`, { headers })
    const token: string = JSON.parse(await answer.text())
    return token
  }

  before(async () => {
    service = await startService({
      env: { TAKT_GRAPHQL_SUBSCRIPTIONS: String(maxOperations), TAKT_GRAPHQL_SUBSCRIPTION_LOAD: '100' },
    })
    machineId = await addMachine(service)
    const second = { companyName: 'Second', adminKeyHash: hashKey(otherKey) }
    resultOrThrow(await service.commands.submit('company.create', second, { companyId: null }))
    expiring = await follow(await tokenFor({ authorization: `Bearer ${testKey}` }))
    open.length = 0
    // The token expires in this test; expiry is checked again while the other tests run.
    service.setClock(Date.now() + 2 * 3_600_000)
  })
  after(async () => {
    expiring.close()
    await service.stop()
  })
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close()
  })

  it('A GraphQL subscription ends when its key loses the scope, and not before', async () => {
    const { commands, companyId } = service
    const { key, id } = await addKey(service, ['reporting', 'erp'])
    const [screen, other] = [await follow(key), await follow()]
    resultOrThrow(await commands.submit('key.patch', { id, scopes: ['reporting'] }, { companyId, actor: 'test' }))
    await service.call('PUT', `/machines/${machineId}`, { name: 'Renamed' })
    await screen.until(() => screen.results('1').length === 2)
    resultOrThrow(await commands.submit('key.patch', { id, scopes: ['erp'] }, { companyId, actor: 'test' }))
    expect(await screen.whenClosed()).to.deep.equal({ code: 4403, reason: 'access-denied' })
    expect(other.closed).to.equal(null)
    const again = new GraphqlSocket(service.url)
    open.push(again)
    await again.until(() => again.webSocket.readyState === again.webSocket.OPEN)
    again.send({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } })
    expect(await again.whenClosed()).to.deep.equal({ code: 4403, reason: 'access-denied' })
  })

  it('A GraphQL subscription ends when the session of its token ends', async () => {
    const { commands, companyId } = service
    const [email, password] = ['ada@plant.example', 'correct horse battery']
    const user = { email, displayName: 'Ada', role: 'manager', passwordHash: await hashPassword(password) } as const
    resultOrThrow(await commands.submit('user.create', user, { companyId, actor: 'test' }))
    const signedIn = await fetch(`${service.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    expect(signedIn.status).to.equal(200)
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
    const screen = await follow(await tokenFor({ cookie }))
    const out = await fetch(`${service.url}/session`, {
      method: 'DELETE',
      headers: { cookie, origin: service.url },
    })
    expect(out.status).to.equal(200)
    expect(await screen.whenClosed()).to.deep.equal({ code: 4401, reason: 'invalid-jwt' })
  })

  it('A slow GraphQL subscriber stays connected and receives the newest result instead of each one', async () => {
    const [slow, quick] = [await join(), await join()]
    await send(0)
    for (const socket of [slow, quick]) {
      socket.start('1', `subscription { ${values} }`)
      await socket.until(() => roundOf(socket.results('1').at(-1)) === 0)
    }
    slow.webSocket.pause()
    for (let round = 1; round <= rounds; round++) {
      await send(round)
      await quick.until(() => roundOf(quick.results('1').at(-1)) === round)
    }
    slow.webSocket.resume()
    await slow.until(() => roundOf(slow.results('1').at(-1)) === rounds)
    const got = slow.results('1').map(roundOf)
    expect(got).to.deep.equal(got.toSorted((a, b) => a - b))
    expect(got.length, `of ${rounds}`).to.be.below(rounds - 1)
    expect([slow.closed, quick.closed]).to.deep.equal([null, null])
  })

  it('A slow GraphQL subscriber with too many pending bytes is disconnected while others are served', async () => {
    const [slow, quick] = [await join(), await join()]
    await send(0)
    // The operations have equal results under different names, so each result is pending separately.
    const ids = ['a', 'b', 'c', 'd', 'e']
    for (const id of ids) slow.start(id, `subscription { ${id}: ${values} }`)
    await slow.until(() => ids.every(id => slow.results(id).length > 0))
    quick.start('1', `subscription { ${list} { v0: value } }`)
    slow.webSocket.pause()
    // Operations of the slow reader are evaluated less often than that of the quick reader: after some evaluations, the
    // results of all are pending.
    let round = 0
    while ((await operations()) >= ids.length) {
      expect(++round).to.be.at.most(5 * rounds)
      await send(round)
      await quick.until(() => roundOf(quick.results('1').at(-1)) === round)
    }
    slow.webSocket.resume()
    // The client may be disconnected before it reads the reason.
    expect((await slow.whenClosed()).code).to.be.oneOf([1013, 1006])
    await send(rounds + 1)
    await quick.until(() => roundOf(quick.results('1').at(-1)) === rounds + 1)
  })

  it('A GraphQL subscription ends when its token expires', async () => {
    expect(await expiring.whenClosed()).to.deep.equal({ code: 4401, reason: 'invalid-jwt' })
  })

  it('A company cannot exceed its share of GraphQL subscriptions until some of its subscriptions end', async () => {
    const mine = [await join(), await join()]
    for (const socket of mine) for (let i = 0; i < maxOperations / 2; i++) socket.start(`${i}`, names)
    const answered = () =>
      mine.map(socket => {
        const ids = Array.from({ length: maxOperations / 2 }, (_, i) => `${i}`)
        const begun = ids.filter(id => socket.results(id).length > 0)
        return { begun, refused: ids.filter(id => socket.codes(id).includes('start-failed')) }
      })
    const count = (name: 'begun' | 'refused') => answered().reduce((sum, each) => sum + each[name].length, 0)
    await mine[0]?.until(() => count('begun') + count('refused') === maxOperations)
    expect([count('begun'), count('refused')]).to.deep.equal([maxOperations / 2, maxOperations / 2])
    const other = await join(otherKey)
    for (const id of ['a', 'b', 'c']) other.start(id, names)
    await other.until(() => ['a', 'b', 'c'].every(id => other.results(id).length + other.codes(id).length > 0))
    expect(['a', 'b', 'c'].map(id => other.codes(id))).to.deep.equal([[], [], []])
    mine[0]?.close()
    other.close()
    const again = await join()
    let tries = 0
    again.start('0', names)
    await again.until(() => {
      if (again.codes(`${tries}`).length > 0) again.start(`${++tries}`, names)
      return again.results(`${tries}`).length > 0
    })
  })
})
