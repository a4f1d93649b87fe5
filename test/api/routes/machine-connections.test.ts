import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { Health } from '../../../connect/run/health.ts'
import type { ConnectorHealth } from '../../../schema/connector-health.ts'
import type { MachineConnection } from '../../../schema/records/machine-connection.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { Status } from '../../../schema/document.ts'
import { startApi, type TestApi } from '../../support/api.ts'

const nowMs = Date.parse('2026-03-01T10:00:00Z')
const atMs = Date.parse('2026-03-01T09:04:00Z')

/** Health of a connector whose source had these states before. */
function healthIn(...states: readonly ConnectorHealth['state'][]): ConnectorHealth {
  let clockMs = atMs
  const health = new Health({ owner: 'host/1', timeOffsetMs: 0, clock: () => clockMs, onState: () => undefined })
  for (const state of states) {
    health.set(state)
    clockMs += 60_000
  }
  return health.read(0)
}

describe('connection of machines', () => {
  let api: TestApi
  let health: ConnectorHealth | null
  const machineId = randomUUID()

  beforeEach(async () => {
    health = null
    const connectorHealth = {
      get: (ref: number, id: string) => (ref === api.registrar.company.ref && id === 'c' ? health : null),
    }
    api = await startApi({ connectorHealth, clock: () => nowMs })
    const settings = await api.call('GET', '/settings')
    await api.call('PUT', '/settings', { ...Object(settings.body), timeZone: 'Europe/Berlin' })
    await api.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
  })
  afterEach(() => api.close())

  const connect = (kind: string, address: string | null, changes: object = {}) =>
    api.call('PUT', '/connectors/c', {
      name: 'C',
      kind,
      address,
      machines: [{ source: 'Mill', machineId }],
      ...changes,
    })
  const agent = (changes: object = {}) => connect('mtconnect', 'http://127.0.0.1:5000', changes)
  const setStatus = (status: Status, sinceMs: number) => {
    const machine = api.registrar.records.get('machine', api.registrar.company.id, machineId)
    if (machine === null) throw new Error('There is no machine')
    api.statuses.set(machine.ref, { machineRef: machine.ref, status, sinceMs, faults: [] })
  }
  const connection = async (init: Parameters<TestApi['call']>[3] = {}) => {
    const { body } = await api.call('GET', '/machines', undefined, init)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of the route's response
    return (body as readonly MachineListItem[])[0]?.connection
  }

  it('A machine without a connector has the problem no_connector', async () => {
    const expected: MachineConnection = {
      connectorId: null,
      state: null,
      since: null,
      problem: 'no_connector',
      reason: 'no connector',
      skewMs: null,
    }
    assert.deepEqual(await connection(), expected)
  })

  it('The reason states in the local time since when the source is unavailable, over all attempts', async () => {
    await agent()
    health = healthIn('connected', 'disconnected', 'connecting', 'disconnected')
    assert.deepEqual(await connection(), {
      connectorId: 'c',
      state: 'disconnected',
      since: '2026-03-01T09:05:00.000Z',
      problem: 'source_unavailable',
      reason: 'agent unavailable since 10:05',
      skewMs: null,
    })
    health = { ...health, unavailableSinceMs: Date.parse('2026-02-27T23:30:00Z') }
    assert.equal((await connection())?.reason, 'agent unavailable since 2026-02-28 00:30')
  })

  it('A connected source whose machine is UNAVAILABLE has no adapter; before the first state, it has no state', async () => {
    await agent()
    health = healthIn('connected')
    assert.deepInclude(await connection(), { problem: 'no_state', state: 'connected' })
    setStatus('UNAVAILABLE', 0)
    assert.deepInclude(await connection(), { problem: 'no_state' })
    setStatus('UNAVAILABLE', Date.now() + 60_000)
    assert.deepInclude(await connection(), { problem: 'no_adapter' })
    assert.match((await connection())?.reason ?? '', /^agent without adapter since /)
    setStatus('ACTIVE', Date.now() + 60_000)
    health = { ...health, lastSamples: [[machineId, atMs, 61_000]] }
    const fine: MachineConnection = {
      connectorId: 'c',
      state: 'connected',
      since: '2026-03-01T09:04:00.000Z',
      problem: null,
      reason: null,
      skewMs: 61_000,
    }
    assert.deepEqual(await connection(), fine)
  })

  it('Each state of a connector has its words', async () => {
    await agent()
    assert.deepInclude(await connection(), { problem: 'no_process', reason: 'no process runs the connector' })
    for (const [state, words] of [
      ['connecting', 'agent unavailable'],
      ['rejected', 'agent denies access'],
      ['invalid', 'settings of the connector are invalid'],
      ['secret_unavailable', 'password or key of the connector cannot be read'],
      ['catching_up', 'agent sends older data first'],
    ] as const) {
      health = healthIn(state)
      assert.equal((await connection())?.reason, `${words} since 10:04`)
    }
    await agent({ enabled: false })
    assert.deepInclude(await connection(), { state: 'disabled', reason: 'connector disabled', since: null })
    await connect('http', null, { machines: [{ machineId }] })
    assert.deepInclude(await connection(), { state: 'connected', problem: 'no_state' })
    setStatus('UNAVAILABLE', Date.now() + 60_000)
    assert.deepInclude(await connection(), { state: 'connected', problem: null })
  })

  it('A machine that a rule takes from topics has the connector that has delivered its samples', async () => {
    const rules = [{ from: 'plant/{machine}/state', key: 'execution', type: 'EXECUTION' }]
    const machines = [{ source: 'plant/{machine}/#', machineId: '{machine}' }]
    await connect('mqtt', 'mqtt://127.0.0.1', { rules, machines })
    assert.deepInclude(await connection(), { problem: 'no_connector' })
    health = { ...healthIn('connected', 'disconnected'), lastSamples: [[machineId, atMs, null]] }
    assert.deepInclude(await connection(), { connectorId: 'c', reason: 'broker unavailable since 10:05' })
  })

  it('Operators see the connection of their machines', async () => {
    await agent()
    health = healthIn('disconnected')
    const { cookie } = await api.signIn('operator')
    assert.deepInclude(await connection({ cookie }), { reason: 'agent unavailable since 10:04' })
  })

  it('A connector of another company is not the connection of a machine', async () => {
    const { registrar } = api
    await registrar.perform('company.create', { companyName: 'Second', adminKeyHash: null })
    const other = registrar.records.companies().find(({ id }) => id !== registrar.company.id)
    const record = { id: 'other', companyId: other?.id ?? '', kind: 'http' as const }
    const before = registrar.records.list('connector', registrar.company.id)
    assert.deepEqual(before, [])
    await connect('http', null, { machines: [{ machineId }] })
    const mine = registrar.records.get('connector', registrar.company.id, 'c')
    if (mine === null) throw new Error('There is no connector')
    await api.call('DELETE', '/connectors/c')
    const after = { ...mine, ...record }
    const command = { id: '', deadlineMs: 0, nowMs: 0, companyId: record.companyId, actor: 'test', name: 'test' }
    const offset = registrar.records.offset + 1
    const changes = [{ kind: 'connector' as const, id: 'other', before: null, after }]
    registrar.records.apply({ command, commandOffset: offset, outcome: { ok: true, result: null }, changes }, offset)
    assert.deepInclude(await connection(), { problem: 'no_connector' })
  })
})
