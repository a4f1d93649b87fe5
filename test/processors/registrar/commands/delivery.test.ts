import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { NewDelivery } from '../../../../schema/commands/delivery-commands.ts'
import type { IncidentRecord } from '../../../../schema/records/incident.ts'
import { errorText } from '../../../../respond/deliveries/outcome.ts'
import { hour, Plant } from '../plant.ts'

const by = { kind: 'user', id: randomUUID(), name: 'Ann' } as const
const notice = { event: 'incident.opened', step: 1, repeat: 0 } as const

/** A plant with two open incidents, each with a waiting notice for the targets `t` and `u`. */
function scene() {
  const plant = new Plant()
  for (const id of ['t', 'u'])
    plant.result('alertTarget.put', { id, name: id, kind: 'mail', addresses: ['shift@example.com'] })
  const steps = [{ afterMs: 0, until: 'resolved', targets: ['t', 'u'] }] as const
  plant.result('alertRule.put', {
    id: 'r',
    name: 'Stop',
    severity: 'info',
    condition: { stop: { reasons: [] } },
    steps,
  })
  const { fence } = plant.result('claim', { partition: 3, owner: 'test' }, { companyId: null })
  const owner = { partition: 3, fence }
  const times = { startedAt: hour(0), openedAt: hour(0), endedAt: null, reopened: 0 }
  const [a, b] = [randomUUID(), randomUUID()]
  for (const id of [a, b]) {
    const subject = { type: 'machine', id: plant.machine(), name: 'Lathe' } as const
    const opened = { type: 'open', id, ruleId: 'r', activeFrom: hour(0), subject, detail: {}, times } as const
    plant.result('incident.evaluate', { ...owner, changes: [opened, { type: 'step', id, step: 1, repeat: 0 }] })
  }
  const get = (id: string): IncidentRecord => {
    const found = plant.records.get('incident', plant.companyId, id)
    if (!found) throw new Error(`There is no incident ${id}`)
    return found
  }
  const delivery = (incidentIds: readonly string[], more: Partial<NewDelivery> = {}): NewDelivery => ({
    id: randomUUID(),
    ruleId: 'r',
    ...notice,
    dueAt: hour(0),
    notices: incidentIds.map(incidentId => ({ incidentId, ...notice })),
    ...more,
  })
  const create = (...deliveries: readonly NewDelivery[]) =>
    plant.result('delivery.create', { ...owner, targetId: 't', deliveries, dropped: [] }).refused
  return { plant, owner, a, b, get, delivery, create }
}

/** The notices for a target, as event, repeat and whether they wait. */
const noticesOf = (incident: IncidentRecord, target: string) =>
  incident.notices
    .filter(({ targetId }) => targetId === target)
    .map(({ event, repeat, deliveryId }) => [event, repeat, deliveryId])

describe('deliveries', () => {
  it('A delivery is created with its id in the notices of its target', () => {
    const { plant, a, b, get, delivery, create } = scene()
    const both = delivery([a, b])
    expect(create(both)).to.deep.equal([])
    for (const id of [a, b]) {
      expect(noticesOf(get(id), 't')).to.deep.equal([['incident.opened', 0, both.id]])
      expect(noticesOf(get(id), 'u')).to.deep.equal([['incident.opened', 0, null]])
    }
    const found = plant.records.get('delivery', plant.companyId, both.id)
    expect(found).to.deep.include({ targetId: 't', incidentIds: [a, b], state: 'pending', createdAt: hour(0) })
  })

  it('A delivery with a notice that does not wait is refused completely', () => {
    const { plant, owner, a, b, get, delivery, create } = scene()
    const [first, second] = [delivery([a]), delivery([a, b])]
    expect(create(first, second)).to.deep.equal([second.id])
    expect(noticesOf(get(b), 't')).to.deep.equal([['incident.opened', 0, null]])
    expect(create(first)).to.deep.equal([first.id])
    const unknown = delivery([randomUUID()])
    expect(create(unknown)).to.deep.equal([unknown.id])
    plant.result('claim', { partition: 3, owner: 'other' }, { companyId: null })
    const payload = { ...owner, targetId: 't', deliveries: [delivery([b])], dropped: [] }
    expect(plant.refusal('delivery.create', payload).code).to.equal('NotOwner')
  })

  it('The first failure and the final state are stored; a final state stays', () => {
    const { plant, owner, a, delivery, create } = scene()
    const { id } = delivery([a])
    create(delivery([a], { id }))
    const record = (state: 'failed' | 'sent' | 'abandoned', error: string | null) =>
      plant.result('delivery.record', { ...owner, id, state, error, disablesTarget: false })
    expect(record('failed', 'HTTP 500')).to.include({ state: 'failed', failedAt: hour(0), lastError: 'HTTP 500' })
    expect(plant.records.deliveries.targetsWithUndecided()).to.have.length(1)
    expect(record('sent', null)).to.include({ state: 'sent', failedAt: hour(0), sentAt: hour(0), lastError: null })
    expect(record('abandoned', 'HTTP 500')).to.include({ state: 'sent' })
    expect(plant.records.deliveries.targetsWithUndecided()).to.have.length(0)
  })

  it('The longest text of an error is stored', () => {
    const { plant, owner, a, delivery, create } = scene()
    const { id } = delivery([a])
    create(delivery([a], { id }))
    const error = errorText(new Error('x'.repeat(2_000)))
    plant.result('delivery.record', { ...owner, id, state: 'abandoned', error, disablesTarget: true })
    expect(plant.records.get('delivery', plant.companyId, id)).to.include({ lastError: error })
    expect(plant.records.get('alertTarget', plant.companyId, 't')).to.include({ disabledCause: error })
  })

  it('A delivery to a receiver that is gone disables its target', () => {
    const { plant, owner, a, delivery, create } = scene()
    const { id } = delivery([a])
    create(delivery([a], { id }))
    plant.result('delivery.record', { ...owner, id, state: 'abandoned', error: 'HTTP 410', disablesTarget: true })
    const target = plant.records.get('alertTarget', plant.companyId, 't')
    expect(target).to.include({ disabledAt: hour(0), disabledCause: 'HTTP 410' })
  })

  it('Events go to targets that are not only in summaries', () => {
    const { plant, a, b, get, delivery, create } = scene()
    create(delivery([a], { event: 'incident.summary', step: 0, ruleId: null }))
    for (const id of [a, b]) plant.result('incident.acknowledge', { id, by })
    expect(noticesOf(get(a), 't').map(([event]) => event)).to.deep.equal(['incident.opened'])
    expect(noticesOf(get(b), 't').map(([event]) => event)).to.deep.equal(['incident.opened', 'incident.acknowledged'])
    expect(noticesOf(get(a), 'u').map(([event]) => event)).to.deep.equal(['incident.opened', 'incident.acknowledged'])
  })

  it('An event that occurs again has the next number, also after one that was dropped', () => {
    const { plant, owner, a, get } = scene()
    const basisOf = ({ state, cause, startedAt, openedAt, endedAt, reopened }: IncidentRecord) => ({
      state,
      cause,
      startedAt,
      openedAt,
      endedAt,
      reopened,
    })
    const times = (endedAt: string | null) => ({ startedAt: hour(0), openedAt: hour(0), endedAt, reopened: 0 })
    const evaluate = (change: object) =>
      plant.do('incident.evaluate', { ...owner, changes: [{ id: a, basis: basisOf(get(a)), ...change }] })
    const ended = { type: 'resolve', times: times(hour(1)), resolvedAt: hour(1), cause: 'condition' }
    for (let count = 0; count < 3; count++) {
      evaluate(ended)
      const dropped = [{ incidentId: a, event: 'incident.resolved', step: 0, repeat: 0 }] as const
      if (count === 1) plant.result('delivery.create', { ...owner, targetId: 't', deliveries: [], dropped })
      evaluate({ type: 'resume', times: times(null) })
    }
    expect(noticesOf(get(a), 't').slice(1)).to.deep.equal([
      ['incident.resolved', 1, null],
      ['incident.resolved', 2, null],
    ])
    expect(noticesOf(get(a), 'u').slice(1)).to.have.length(3)
  })
})
