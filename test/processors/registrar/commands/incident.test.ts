import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { IncidentChangeInput } from '../../../../schema/commands/incident-commands.ts'
import type { IncidentRecord } from '../../../../schema/records/incident.ts'
import { hour, Plant } from '../plant.ts'

const by = { kind: 'user', id: randomUUID(), name: 'Ann' } as const

/** A plant with a rule that has two steps, and a claimed partition. */
function scene() {
  const plant = new Plant()
  const machineId = plant.machine()
  plant.result('alertTarget.put', { id: 't', name: 'Shift', kind: 'mail', addresses: ['shift@example.com'] })
  const step = { afterMs: 0, until: 'resolved', targets: ['t'] } as const
  const rule = { id: 'r', name: 'Stop', severity: 'warning', condition: { stop: { reasons: [] } } } as const
  plant.result('alertRule.put', { ...rule, steps: [step, { ...step, afterMs: 60_000 }] })
  const { fence } = plant.result('claim', { partition: 3, owner: 'test' }, { companyId: null })
  const times = { startedAt: hour(1), openedAt: hour(1), endedAt: null as string | null, reopened: 0 }
  const open = (id: string, more: Partial<typeof times> = {}) => ({
    type: 'open' as const,
    id,
    ruleId: 'r',
    activeFrom: hour(0),
    subject: { type: 'machine' as const, id: machineId, name: 'Lathe' },
    detail: { reasonId: 'uncategorized' as const },
    times: { ...times, ...more },
  })
  const evaluate = (...changes: readonly IncidentChangeInput[]) =>
    plant.result('incident.evaluate', { partition: 3, fence, changes }).refused
  const get = (id: string): IncidentRecord => {
    const found = plant.records.get('incident', plant.companyId, id)
    if (!found) throw new Error(`There is no incident ${id}`)
    return found
  }
  return { plant, rule, fence, times, open, evaluate, get }
}

const basisOf = ({ state, cause, startedAt, openedAt, endedAt, reopened }: IncidentRecord) => ({
  state,
  cause,
  startedAt,
  openedAt,
  endedAt,
  reopened,
})

describe('evaluation of incidents', () => {
  it('An incident opens with the name and severity of its rule; a second one of the subject is refused', () => {
    const { evaluate, open, get } = scene()
    const [id, second, past] = [randomUUID(), randomUUID(), randomUUID()]
    expect(evaluate(open(id), open(second), open(past, { endedAt: hour(2) }))).to.deep.equal([second])
    const { ruleName, severity, kind, state, detectedAt } = get(id)
    expect({ ruleName, severity, kind, state, detectedAt }).to.deep.equal({
      ruleName: 'Stop',
      severity: 'warning',
      kind: 'stop',
      state: 'open',
      detectedAt: hour(0),
    })
    expect(get(past)).to.include({ state: 'resolved', cause: 'condition', resolvedAt: hour(2) })
    expect(evaluate(open(id))).to.deep.equal([id])
  })

  it('An incident of a rule that has changed, is disabled or deleted is refused', () => {
    const { plant, evaluate, open, rule } = scene()
    const id = randomUUID()
    const refused = (change: IncidentChangeInput) => expect(evaluate(change)).to.deep.equal([id])
    refused({ ...open(id), activeFrom: hour(1) })
    plant.result('alertRule.put', { ...rule, enabled: false })
    refused(open(id))
    plant.result('alertRule.delete', { id: 'r' })
    refused(open(id))
  })

  it('A change is refused if the incident has changed since it was decided', () => {
    const { plant, evaluate, open, get, times } = scene()
    const id = randomUUID()
    evaluate(open(id))
    const basis = basisOf(get(id))
    plant.result('incident.resolve', { id, by })
    expect(get(id)).to.include({ state: 'resolved', cause: 'user', resolvedAt: hour(0), endedAt: null })
    expect(evaluate({ type: 'resume', id, basis, times })).to.deep.equal([id])
    const ended = { ...times, endedAt: hour(3) }
    expect(evaluate({ type: 'correct', id, basis: basisOf(get(id)), times: ended })).to.deep.equal([])
    expect(get(id)).to.include({ state: 'resolved', endedAt: hour(3) })
  })

  it('An incident that reopens keeps its acknowledgement', () => {
    const { plant, evaluate, open, get, times } = scene()
    const id = randomUUID()
    evaluate(open(id))
    plant.result('incident.acknowledge', { id, by })
    const ended = { ...times, endedAt: hour(2) }
    const resolve = { type: 'resolve', id, times: ended, resolvedAt: hour(2), cause: 'condition' } as const
    evaluate({ ...resolve, basis: basisOf(get(id)) })
    expect(get(id)).to.include({ state: 'resolved', cause: 'condition' })
    evaluate({ type: 'resume', id, basis: basisOf(get(id)), times: { ...times, reopened: 1 } })
    expect(get(id)).to.include({ state: 'acknowledged', cause: null, resolvedAt: null, reopenedAt: hour(0) })
    evaluate({ type: 'retract', id, basis: basisOf(get(id)), mergedInto: null })
    expect(get(id).state).to.equal('retracted')
  })

  it('A step adds one notice for each target, once', () => {
    const { plant, evaluate, open, get } = scene()
    const id = randomUUID()
    evaluate(open(id), { type: 'step', id, step: 1, repeat: 0 }, { type: 'step', id, step: 2, repeat: 0 })
    const notice = { repeat: 0, at: hour(0), targetId: 't', deliveryId: null, isSummarized: false }
    expect(get(id).notices).to.deep.equal([
      { ...notice, event: 'incident.opened', step: 1 },
      { ...notice, event: 'incident.escalated', step: 2 },
    ])
    expect(evaluate({ type: 'step', id, step: 1, repeat: 0 })).to.deep.equal([id])
    plant.result('incident.resolve', { id, by })
    expect(evaluate({ type: 'step', id, step: 1, repeat: 1 })).to.deep.equal([id])
  })

  it('Only the owner of the partition changes incidents; evaluatedTo never decreases', () => {
    const { plant, open, fence } = scene()
    const gaps = [{ startAt: hour(0), endAt: hour(1) }]
    const put = (evaluatedTo: string) => ({ partition: 3, fence, evaluatedTo, gaps })
    plant.result('alertEvaluation.put', put(hour(2)), { companyId: null })
    const second = plant.result('alertEvaluation.put', put(hour(1)), { companyId: null })
    expect(second).to.deep.equal({ id: 'state-samples/3', evaluatedTo: hour(2), gaps: [...gaps, ...gaps] })
    plant.result('claim', { partition: 3, owner: 'other' }, { companyId: null })
    expect(plant.refusal('alertEvaluation.put', put(hour(3)), { companyId: null }).code).to.equal('NotOwner')
    const changes = [open(randomUUID())]
    expect(plant.refusal('incident.evaluate', { partition: 3, fence, changes }).code).to.equal('NotOwner')
  })
})

describe('actions of users on incidents', () => {
  it('The first acknowledgement counts; a resolved incident takes comments only', () => {
    const { plant, evaluate, open } = scene()
    const id = randomUUID()
    evaluate(open(id))
    const first = plant.result('incident.acknowledge', { id, by })
    expect(first).to.deep.include({ state: 'acknowledged', acknowledgedAt: hour(0), acknowledgedBy: by })
    const other = { kind: 'key', id: 'k', name: 'ERP' } as const
    expect(plant.result('incident.acknowledge', { id, by: other })).to.deep.equal(first)
    plant.result('incident.resolve', { id, by })
    for (const name of ['incident.acknowledge', 'incident.resolve'])
      expect(plant.refusal(name, { id, by }).status).to.equal(409)
    expect(plant.refusal('incident.assign', { id, userId: null }).status).to.equal(409)
    const { comments } = plant.result('incident.comment', { id, text: 'Belt', by })
    expect(comments).to.deep.equal([{ at: hour(0), by, text: 'Belt' }])
    expect(plant.refusal('incident.comment', { id: randomUUID(), text: 'a', by }).status).to.equal(404)
  })

  it('An incident is assigned to a user of the company, and has at most 200 comments', () => {
    const { plant, evaluate, open } = scene()
    const id = randomUUID()
    evaluate(open(id))
    const user = { email: 'a@example.com', displayName: 'Ann', passwordHash: 'x', role: 'operator' } as const
    const userId = plant.result('user.create', user).id
    expect(plant.result('incident.assign', { id, userId }).assignedTo).to.equal(userId)
    expect(plant.result('incident.assign', { id, userId: null }).assignedTo).to.equal(null)
    expect(plant.faults('incident.assign', { id, userId: randomUUID() })).to.deep.equal(['userId InvalidDataItem'])
    for (let count = 0; count < 200; count++) plant.result('incident.comment', { id, text: 'a', by })
    expect(plant.refusal('incident.comment', { id, text: 'a', by }).code).to.equal('TooManyComments')
  })
})

describe('calls', () => {
  const call = (machineId: string, more: object = {}) => ({ machineId, kind: 'help', note: '', by, ...more })
  const rule = (id: string, more: object = {}) => ({
    id,
    name: id,
    severity: 'info' as const,
    condition: { call: [] as string[] },
    ...more,
  })

  it('A call opens an incident of the rule that has been active for longest and fits', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    const other = plant.machine()
    const at = (minutes: number) => ({ atMs: plant.nowMs + minutes * 60_000 })
    plant.result('alertRule.put', rule('c', { condition: { call: ['material'] } }), at(0))
    plant.result('alertRule.put', rule('d', { subject: { machineIds: [other] } }), at(0))
    plant.result('alertRule.put', rule('e', { when: { days: [2] } }), at(0))
    plant.result('alertRule.put', rule('f', { enabled: false }), at(0))
    plant.result('alertRule.put', rule('z'), at(1))
    plant.result('alertRule.put', rule('a'), at(2))
    expect(plant.result('call.open', call(machineId, { note: 'Oil' }), at(3))).to.deep.include({
      ruleId: 'z',
      ruleName: 'z',
      kind: 'call',
      severity: 'info',
      state: 'open',
      detail: { call: { kind: 'help', note: 'Oil' } },
      subject: { type: 'machine', id: machineId, name: plant.records.machine(machineId)?.name },
      startedAt: new Date(at(3).atMs).toISOString(),
      endedAt: null,
    })
    expect(plant.result('call.open', call(other), at(4)).ruleId).to.equal('d')
    const tuesday = at(24 * 60)
    expect(plant.result('call.open', call(machineId, { kind: 'quality' }), tuesday).ruleId).to.equal('e')
  })

  it('Without a fitting rule, a call is a warning without a rule', () => {
    const plant = new Plant()
    expect(plant.result('call.open', call(plant.machine()))).to.include({ ruleId: null, severity: 'warning' })
  })

  it('A second call of the machine and kind adds a comment until the call is resolved', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    const first = plant.result('call.open', call(machineId))
    const again = plant.result('call.open', call(machineId.toUpperCase(), { note: 'Still' }))
    const third = plant.result('call.open', call(machineId))
    expect([again.id, third.id]).to.deep.equal([first.id, first.id])
    expect(third.comments.map(({ text }) => text)).to.deep.equal(['Still', 'Help'])
    expect(plant.result('call.open', call(machineId, { kind: 'material' })).id).not.to.equal(first.id)
    plant.result('incident.resolve', { id: first.id, by })
    expect(plant.result('call.open', call(machineId)).id).not.to.equal(first.id)
  })

  it('Unknown and decommissioned machines and unknown kinds are rejected', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    expect(plant.faults('call.open', call(randomUUID(), { kind: 'x' }))).to.deep.equal([
      'machineId InvalidDataItem',
      'kind InvalidDataItem',
    ])
    plant.result('machine.delete', { id: machineId })
    expect(plant.faults('call.open', call(machineId))).to.deep.equal(['machineId InvalidDataItem'])
  })

  it('Scheduled time and shifts of a rule are those of the machine at the call', () => {
    const plant = new Plant()
    const shifts = [{ id: 'early', name: 'Early', start: '06:00', end: '14:00', days: [1, 2, 3, 4, 5] }]
    plant.result('schedule.put', { id: 's', name: 'S', versions: [{ shifts }] })
    const machineId = plant.machine({ scheduleId: 's' })
    plant.result('alertRule.put', rule('early', { when: { shifts: ['early'] } }))
    plant.result('alertRule.put', rule('off', { when: { scheduled: false } }))
    const at = (hours: number) => ({ atMs: plant.nowMs + hours * 3_600_000 })
    expect(plant.result('call.open', call(machineId), at(0)).ruleId, 'at 8:00').to.equal('early')
    expect(plant.result('call.open', call(machineId, { kind: 'quality' }), at(7)).ruleId, 'at 15:00').to.equal('off')
  })
})

describe('incidents of a simulated plant', () => {
  it('Only resolved incidents and open calls of machines of the company are stored, each once', () => {
    const { plant, evaluate, open, get } = scene()
    const example = randomUUID()
    evaluate(open(example, { endedAt: hour(2) }))
    const { companyId: _, ...past } = { ...get(example), id: randomUUID() }
    const foreign = { ...past, id: randomUUID(), subject: { ...past.subject, id: randomUUID() } }
    const unresolved = { ...past, id: randomUUID(), state: 'open' as const }
    const lasting = { ...past, id: randomUUID(), endedAt: null }
    const called = {
      ...unresolved,
      id: randomUUID(),
      kind: 'call' as const,
      endedAt: null,
      resolvedAt: null,
      cause: null,
    }
    const put = () =>
      plant.result('demo.incidents', { incidents: [past, foreign, unresolved, lasting, called] }).created
    expect(put()).to.equal(2)
    expect(get(called.id).state).to.equal('open')
    expect(get(past.id)).to.deep.equal({ ...past, companyId: plant.companyId })
    for (const { id } of [foreign, unresolved, lasting])
      expect(plant.records.get('incident', plant.companyId, id)).to.equal(null)
    expect(put()).to.equal(0)
  })
})
