import { expect } from 'chai'
import { createRecords } from '../../demo/create-records.ts'
import { executeActions } from '../../demo/execute-actions.ts'
import { leaveDemo } from '../../demo/leave.ts'
import { PlantAgent } from '../../demo/plant-agent.ts'
import type { PlantClient } from '../../demo/plant-client.ts'
import { createPlant } from '../../demo/simulate/plant.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import { systemChecks } from '../../schema/records/alert-condition.ts'
import { hourMs } from '../../shared/time/units.ts'
import { type DirectRegistrar, directRegistrar } from '../support/registrar.ts'

const settings = { seed: 1, machines: 3 }
const plant = createPlant({ ...settings, isDaily: true })

describe('removing the simulated plant', () => {
  let registrar: DirectRegistrar
  let client: PlantClient
  let agent: PlantAgent
  beforeEach(async () => {
    registrar = directRegistrar('0'.repeat(64))
    const { records, company, submit } = registrar
    const as = { companyId: company.id, actor: 'demo' }
    const submitAsDemo: PlantClient['submit'] = async (name, payload) => {
      const outcome = await submit(name, payload, as)
      return outcome.ok ? outcome.result : null
    }
    client = {
      companyId: company.id,
      records,
      submit: submitAsDemo,
    }
    await createRecords(client, plant, { fromMs: Date.now() - 60 * hourMs, toMs: Date.now() })
    agent = new PlantAgent({ plant, client, clock: Date.now })
    await agent.start(Date.now(), { mayCreate: true })
  })
  afterEach(() => agent.stop())
  const actOfADay = () => executeActions(client, plant, Date.now() - 24 * hourMs, Date.now())
  const leave = (commands: Pick<CommandClient, 'submit'>) => {
    const { records, company } = registrar
    return leaveDemo({ commands, records, companyId: company.id, settings, as: { actor: 'test' } })
  }
  const left = () =>
    (
      [
        'jobOperation',
        'jobRun',
        'operatorRun',
        'annotation',
        'partAdjustment',
        'operator',
        'downtimeReason',
        'connector',
        'alertRule',
      ] as const
    )
      .map(kind => [kind, registrar.records.list(kind, registrar.company.id).length] as const)
      .filter(([, count]) => count > 0)

  it('Removing the simulated plant deletes its records and returns their number', async () => {
    await actOfADay()
    const { length: before } = left()
    expect(before).to.be.above(5)
    const { records, company } = registrar
    records
      .list('connector', company.id)
      .forEach(connector => expect(connector.address).to.include('http://127.0.0.1:'))
    const { decommissioned, deleted } = await leave(registrar)
    expect({ decommissioned, left: left() }).to.deep.equal({ decommissioned: 3, left: [] })
    expect(deleted).to.be.above(10)
    expect(await leave(registrar)).to.deep.equal({ decommissioned: 0, deleted: 0 })
  })

  it('Rules of the simulated plant to which a user has added steps stay, also when machines are added', async () => {
    const { records, company } = registrar
    const rules = () => records.list('alertRule', company.id)
    const [changed, removed, ...unchanged] = rules()
    if (changed === undefined || removed === undefined) throw new Error('The plant has alert rules')
    const steps = [{ afterMs: 0, until: 'acknowledged' as const, targets: ['shift'], repeatMs: null }]
    const { companyId: _, ...rule } = changed
    const target = { id: 'shift', name: 'Shift', kind: 'mail', addresses: ['shift@example.com'] } as const
    await registrar.perform('alertTarget.put', target)
    await registrar.perform('alertRule.put', { ...rule, steps })
    await registrar.perform('alertRule.delete', { id: removed.id })
    const larger = createPlant({ ...settings, machines: settings.machines + 1, isDaily: true })
    expect(await createRecords(client, larger, { fromMs: Date.now(), toMs: Date.now() })).to.equal(true)
    const expected = [{ ...changed, steps }, ...unchanged]
    expect(rules().map(({ id, steps }) => ({ id, steps }))).to.have.deep.members(
      expected.map(({ id, steps }) => ({ id, steps })),
    )
    await leave(registrar)
    expect(rules().map(({ id }) => id)).to.deep.equal([changed.id])
  })

  it('A machine group of the simulated plant stays while a downtime reason of a user names it', async () => {
    const { records, company } = registrar
    const groupIds = () => records.list('machineGroup', company.id).map(({ id }) => id)
    const [named = '', ...others] = groupIds()
    expect(others).to.have.length.above(0)
    await registrar.perform('downtimeReason.put', { name: 'Chips', machineGroupIds: [named] })
    await leave(registrar)
    expect(groupIds()).to.deep.equal([named])
  })

  it('The first user gets rules on the system, which remain when the simulated plant is removed', async () => {
    const { records, company } = registrar
    const conditions = () => records.list('alertRule', company.id).map(({ condition }) => condition)
    const ofSystem = systemChecks.map(system => ({ system }))
    const ofPlant = conditions()
    expect(ofPlant).to.have.length.above(0)
    const admin = { email: 'ada@plant.example', displayName: 'Ada', role: 'it_admin', passwordHash: 'hash' } as const
    await registrar.perform('user.create', { ...admin, isFirst: true })
    expect(conditions()).to.have.deep.members([...ofPlant, ...ofSystem])
    await leave(registrar)
    expect(conditions()).to.have.deep.members(ofSystem)
    expect(records.list('alertTarget', company.id)).to.have.length(1)
  })

  it('Removing the simulated plant also deletes records of its pending commands', async () => {
    let isFirst = true
    const submit: CommandClient['submit'] = async (name, payload, options) => {
      const outcome = await registrar.submit(name, payload, options)
      // Pending commands follow the command that removes the plant.
      if (isFirst) await actOfADay()
      isFirst = false
      return outcome
    }
    await leave({ submit })
    expect(left()).to.deep.equal([])
  })
})
