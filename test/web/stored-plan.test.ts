import { expect } from 'chai'
import { createChecker } from '../../schema/check.ts'
import { connectorInput, defaultConnectorOptions, type MappingRule } from '../../schema/records/connector.ts'
import type { ConnectorResponse } from '../../schema/records/connector.ts'
import { connectorOf, isMapped, mappedOf, type Plan, withRule } from '../../web/screens/connect/plan.ts'
import { planOf } from '../../web/screens/connect/stored-plan.ts'

const machineId = '8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f10'
const machine = { source: 'press', machineId, paths: {}, expand: [], timeOffsetMs: 7 }

const settings = {
  name: 'Press',
  kind: 'mqtt',
  address: 'mqtt://broker',
  enabled: false,
  sourceId: 'older',
  machines: [machine],
  options: { ...defaultConnectorOptions, brokerQueue: 5, user: 'ann' },
}

function planOfRules(rules: readonly MappingRule[], changes: Partial<ConnectorResponse> = {}): Plan {
  const record = {
    ...settings,
    id: 'press',
    rules,
    secrets: { password: true },
    ...changes,
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the page does not read the health
  return planOf(record as unknown as ConnectorResponse)
}

const state: MappingRule = {
  from: 'plant/press/state',
  value: '$.code',
  key: 'press.state',
  type: 'EXECUTION',
  category: 'EVENT',
  map: { '3': 'ACTIVE', '*': 'READY' },
}

describe('a stored connector on the page', () => {
  it('Saving it unchanged changes nothing, and sends no secret', () => {
    const plan = planOfRules([state])
    expect(connectorOf(plan)).to.deep.equal({
      ...settings,
      rules: [state],
    })
    expect(createChecker(connectorInput)(connectorOf(plan)).errors).to.deep.equal([])
  })

  const { category: _, value: __, ...short } = state
  const shown: readonly (readonly [what: string, stored: MappingRule, sent: MappingRule])[] = [
    ['a state', state, state],
    ['a state with defaults', short, { ...short, value: '$', category: 'EVENT' }],
    [
      'a key and a time of its own',
      { ...state, key: 'execution', time: '$.ts', timeUnit: 's' },
      { ...state, key: 'execution', time: '$.ts', timeUnit: 's' },
    ],
    [
      'an alarm',
      { ...state, type: 'SYSTEM', category: 'CONDITION' },
      { ...state, type: 'SYSTEM', category: 'CONDITION' },
    ],
  ]
  for (const [what, stored, sent] of shown)
    it(`The form shows ${what}`, () => {
      const plan = planOfRules([stored])
      expect(plan.rules.filter(isMapped)).to.have.length(1)
      expect(connectorOf(plan).rules).to.deep.equal([sent])
    })

  const kept: readonly (readonly [what: string, rule: MappingRule])[] = [
    ['a scale', { ...state, scale: 2 }],
    ['a map of parts', { ...state, type: 'PART_COUNT' }],
    ['a category that is not that of the type', { ...state, category: 'SAMPLE' }],
    ['a last will', { from: 'plant/press/lwt', equals: 'offline', unavailable: true }],
    ['a list of alarms', { ...state, each: '$.alarms[*]', value: '@.on' }],
    ['no key', { from: 'state', type: 'EXECUTION' }],
    ['a word with an equals sign', { ...state, map: { 'a=b': 'ACTIVE' } }],
    ['a word with blanks around it', { ...state, map: { ' 3': 'ACTIVE' } }],
    ['an unknown type', { ...state, type: 'TEMPERATURE', map: {} }],
  ]
  for (const [what, rule] of kept)
    it(`A rule with ${what} stays as it is`, () => {
      const plan = planOfRules([rule])
      expect(plan.rules.filter(isMapped)).to.deep.equal([])
      expect(connectorOf(plan).rules).to.deep.equal([rule])
    })

  it('Of two rules for the same values, the form shows the first one', () => {
    const second = { ...state, map: { '4': 'ACTIVE' } }
    const plan = planOfRules([state, second])
    expect(plan.rules.map(isMapped)).to.deep.equal([true, false])
    expect(connectorOf(plan).rules).to.deep.equal([state, second])
  })

  it('A new rule comes before kept ones, which may match the same values', () => {
    const pattern: MappingRule = { ...state, from: 'plant/#', scale: 2 }
    const plan = planOfRules([state, pattern])
    const rules = withRule(plan.rules, mappedOf('plant/press/parts', '7'))
    expect(connectorOf({ ...plan, rules }).rules?.map(({ from }) => from)).to.deep.equal([
      'plant/press/state',
      'plant/press/parts',
      'plant/#',
    ])
  })

  it('Machines that the topic determines, several machines of an adapter, and those of posted samples stay as they are', () => {
    const table = { ...machine, source: 'plant/{name}', machineId: { press: machineId } }
    const several = [machine, { ...machine, source: 'other' }]
    for (const [kind, machines] of [
      ['mqtt', [table]],
      ['mqtt', [{ ...machine, source: 'plant/{machine}', machineId: '{machine}' }]],
      ['shdr', several],
      ['http', [machine]],
      ['http', several],
    ] as const) {
      const plan = planOfRules([], { kind, machines })
      expect([plan.assignments, plan.keptMachines]).to.deep.equal([[], machines])
      expect(connectorOf(plan).machines).to.deep.equal(machines)
    }
  })

  it('A value that is not a word has no map, also after it was one', () => {
    const alarm = { ...mappedOf('coolant_alarm', 'true'), meaning: 'parts' } as const
    const plan = planOfRules([])
    expect(connectorOf({ ...plan, rules: [alarm] }).rules?.[0]).to.not.have.property('map')
  })
})
