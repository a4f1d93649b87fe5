import { assert } from 'chai'
import { toConnector } from '../../processors/registrar/commands/connector.ts'
import type { ConnectorResponse, MappingRule } from '../../schema/records/connector.ts'
import type { DiscoveredDevice, Discovery } from '../../schema/requests/connector-trial.ts'
import { discoverOf, longDiscoverOf, withFound } from '../../web/screens/connect/found.ts'
import { connectorOf, machinesOf, mappedOf, movedSecrets, type Plan, withRule } from '../../web/screens/connect/plan.ts'
import { planOf, withDevices } from '../../web/screens/connect/stored-plan.ts'
import { readAs } from '../support/read-as.ts'

const mill = '8a1c1f3e-6a0f-4c3e-9a51-000000000001'
const lathe = '8a1c1f3e-6a0f-4c3e-9a51-000000000002'
const state = { from: 'w4', type: 'EXECUTION', category: 'EVENT', key: 'execution', value: '$', map: { '3': 'ACTIVE' } }

type Input = Parameters<typeof toConnector>[0]

/** The response for a stored connector, without its health. */
function stored(input: Partial<Input>, secrets: object = {}): ConnectorResponse {
  const base = { id: 'c', name: 'Press', kind: 'shdr', address: 'tcp://adapter:7878' } as const
  const record = toConnector(readAs<Input>({ ...base, ...input }), 'company', null)
  return readAs<ConnectorResponse>({ ...record, secrets })
}

const rule = (changes: object) => readAs<MappingRule>({ ...state, ...changes })

describe('plan of a connector', () => {
  it('A stored connector that is not changed is saved as it is, whatever the form shows', () => {
    const machine = { source: 'press', machineId: mill, timeOffsetMs: 3 }
    const rules = [
      rule({}),
      rule({ from: 'w5', scale: 2 }),
      rule({ equals: '4' }),
      rule({ from: 'w6', time: '$.t', timeUnit: 's' }),
      rule({ from: 'alarm', type: 'SYSTEM', category: 'CONDITION', nativeCode: '$.no' }),
      rule({ from: 'w4', map: { '5': 'READY' } }),
    ]
    const inputs: readonly Partial<Input>[] = [
      { machines: [machine], rules, enabled: false, sourceId: 'older', options: { heartbeatMs: 7_000 } },
      { machines: [machine, { source: 'other', machineId: lathe }], rules },
      { kind: 'http', address: null, machines: [{ machineId: mill }, { machineId: lathe }], rules: [rule({})] },
      {
        kind: 'mqtt',
        address: 'mqtt://broker',
        machines: [{ source: 'plant/{name}', machineId: { mill } }],
        rules: [rule({ from: 'plant/+/lwt', unavailable: true })],
        options: { user: 'takt', brokerQueue: 17 },
      },
      {
        kind: 'mtconnect',
        address: 'http://agent:5000',
        machines: [{ source: 'm', machineId: mill, expand: ['vars.T1'], paths: { p2: lathe } }],
        options: { start: 'buffer' },
      },
    ]
    for (const input of inputs) {
      const connector = stored(input)
      const body = connectorOf(planOf(connector))
      assert.deepEqual(
        toConnector({ id: 'c', ...body }, 'company', null),
        toConnector(readAs<Input>(connector), 'company', null),
      )
    }
  })

  it('A rule is shown if the form has all its fields, and if it is the first one of its value', () => {
    const rules = [
      rule({}),
      rule({ from: 'w5', scale: 2 }),
      rule({ map: { '5': 'READY' } }),
      rule({ from: 'w6', time: '$.t', timeUnit: 's' }),
    ]
    const shown = planOf(stored({ rules })).rules.map(each => 'from' in each)
    assert.deepEqual(shown, [true, false, false, true])
  })

  it('The mapping of another value is added before the rules that the form does not show', () => {
    const { rules } = planOf(stored({ rules: [rule({}), rule({ from: '#', scale: 2 })] }))
    const added = withRule(rules, mappedOf('w7', '1'))
    assert.deepEqual(
      added.map(each => ('from' in each ? each.from : each.kept.from)),
      ['w4', 'w7', '#'],
    )
    assert.deepEqual(withRule([], mappedOf('w7', '1')).length, 1)
  })

  it('Devices are added to the stored ones; a machine of their name is proposed only if no other connector reads it', () => {
    const plan = planOf(
      stored({ kind: 'mtconnect', address: 'http://agent:5000', machines: [{ source: 'uuid-5', machineId: mill }] }),
    )
    const device = (name: string, machineId: string | null) =>
      readAs<DiscoveredDevice>({ name, uuid: `uuid-${name}`, machineId, state: ['execution'], countsSingleParts: true })
    const found = [device('5', mill), device('6', lathe), device('7', null)]
    const proposed = (isFree: boolean) =>
      withDevices(plan, found, () => isFree).map(({ source, machineId, isUsed }) => [source, machineId, isUsed])
    assert.deepEqual(proposed(true), [
      ['uuid-5', mill, true],
      ['6', lathe, false],
      ['7', null, false],
    ])
    assert.deepEqual(proposed(false), [
      ['uuid-5', mill, true],
      ['6', null, false],
      ['7', null, false],
    ])
    const [, , added] = withDevices({ assignments: [], stored: null }, found, () => true)
    assert.deepInclude(added, { isUsed: true, countsSingleParts: true, newName: '7' })
  })

  it('Secrets are sent to another scheme, host or port only if they are entered again', () => {
    const secrets = { password: true, ca: true, certificateFile: 'c' }
    const plan = planOf(stored({ kind: 'mtconnect', address: 'https://agent:5000' }, secrets))
    const at = (address: string, changes: object = {}): Plan => ({
      ...plan,
      source: { ...plan.source, address, ...changes },
    })
    assert.deepEqual(movedSecrets(at('https://agent:5000/mtconnect')), [])
    assert.isUndefined(connectorOf(at('https://agent:5000/mtconnect')).secrets)
    for (const address of ['http://agent:5000', 'https://other:5000', 'https://agent:5001']) {
      assert.deepEqual(movedSecrets(at(address)), ['password', 'ca', 'certificateFile'])
      assert.deepEqual<object>(connectorOf(at(address, { password: 'p', secrets: { ca: 'x' } })).secrets ?? {}, {
        password: 'p',
        ca: 'x',
        certificateFile: null,
      })
    }
  })

  it('A machine whose samples are posted is added to the machines of the connector once', () => {
    const plan = planOf(stored({ kind: 'http', address: null, machines: [{ machineId: mill }] }))
    const add = (machineId: string) =>
      machinesOf({ ...plan, source: { ...plan.source, machineId } }).map(each => each.machineId)
    assert.deepEqual(add(mill), [mill])
    assert.deepEqual(add(lathe), [mill, lathe])
    assert.deepEqual(discoverOf(plan), { kind: 'http', machineId: mill })
  })

  it('The values of the rules are read on for two minutes, those of a broker by their topics', () => {
    const broker = planOf(stored({ kind: 'mqtt', address: 'mqtt://broker', rules: [rule({ from: 'plant/{m}/w4' })] }))
    assert.deepInclude(longDiscoverOf(broker), { seconds: 120, topics: ['plant/{m}/w4'] })
    assert.deepInclude(longDiscoverOf(planOf(stored({ rules: [rule({})] }))), { seconds: 120, topics: [] })
  })

  it('What is found is added to what was found before, and a long recording keeps its newest lines', () => {
    const line = (changes: Partial<Discovery>): Discovery => ({
      devices: [],
      values: [],
      recording: [],
      problem: null,
      ...changes,
    })
    const first = withFound(null, line({ values: [{ name: 'b', count: 2, example: 'x' }], recording: ['1'] }))
    const other = { name: 'a', count: 1, example: 'z' }
    const values = [{ name: 'b', count: 3, example: 'y' }, other]
    const second = withFound(first, line({ values, recording: ['2', '3'] }))
    assert.deepEqual(second.values, [other, { name: 'b', count: 5, example: 'y' }])
    assert.deepEqual(second.recording, ['1', '2', '3'])
    const long = withFound(second, line({ recording: ['a', 'b', 'c'].map(letter => letter.repeat(150_000)) }))
    assert.deepEqual(
      long.recording.map(text => text[0]),
      ['b', 'c'],
    )
    const many = withFound(second, line({ recording: Array.from({ length: 20_000 }, (_, at) => String(at)) }))
    assert.lengthOf(many.recording, 20_000)
    assert.equal(many.recording[0], '0')
  })
})
