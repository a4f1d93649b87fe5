import { expect } from 'chai'
import { RulesByMachine } from '../../../respond/evaluate/rules-by-machine.ts'
import { Plant } from '../../processors/registrar/plant.ts'

/** A plant with a machine in a group, and the rules that its index finds for it. */
function scene() {
  const plant = new Plant()
  const { companyId } = plant
  const index = new RulesByMachine(plant.records)
  const id = crypto.randomUUID()
  const putMachine = (machineGroupIds: readonly string[]) =>
    plant.do('machine.put', { id, name: 'Mill', machineGroupIds }, { companyId })
  const putRule = (ruleId: string, rule: object = {}) =>
    plant.do(
      'alertRule.put',
      { id: ruleId, name: ruleId, severity: 'warning', condition: { status: ['INACTIVE'] }, ...rule },
      { companyId },
    )
  plant.do('machineGroup.put', { id: 'milling', name: 'Milling' }, { companyId })
  putMachine([])
  const found = () => {
    const machine = plant.records.get('machine', companyId, id)
    if (!machine) throw new Error('The machine is missing')
    return index.ofCompany(companyId)(machine)
  }
  const ids = () => found().rules.map(rule => rule.id)
  return {
    id,
    putMachine,
    putRule,
    remove: (rule: string) => plant.do('alertRule.delete', { id: rule }, { companyId }),
    found,
    ids,
  }
}

describe('RulesByMachine', () => {
  it('A change of a rule or of the groups of a machine changes the rules of the machine', () => {
    const { id, putMachine, putRule, remove, ids } = scene()
    putRule('all')
    putRule('group', { subject: { machineGroupIds: ['milling'] } })
    putRule('other', { subject: { machineIds: [crypto.randomUUID()] } })
    expect(ids()).to.deep.equal(['all'])
    putMachine(['milling'])
    expect(ids()).to.deep.equal(['all', 'group'])
    putRule('other', { subject: { machineIds: [id] } })
    putRule('all', { enabled: false })
    expect(ids()).to.have.members(['group', 'other'])
    remove('group')
    expect(ids()).to.deep.equal(['other'])
  })

  it('Rules on calls, connectors and the system are not those of machines', () => {
    const { putRule, found } = scene()
    putRule('call', { condition: { call: [] } })
    putRule('connector', { condition: { connector: 'disconnected' } })
    expect(found().rules).to.deep.equal([])
    expect(found().callRules.map(({ id }) => id)).to.deep.equal(['call'])
  })

  it('Equal conditions of rules are one object', () => {
    const { putRule, found } = scene()
    for (const id of ['a', 'b']) putRule(id, { condition: { stop: { reasons: [] } } })
    const [a, b] = found().rules
    expect(a?.condition).to.equal(b?.condition)
  })
})
