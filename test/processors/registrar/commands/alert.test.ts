import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { defaultCompanySettings } from '../../../../schema/records/company.ts'
import { hour, Plant, startMs } from '../plant.ts'

const rule = { id: 'r', name: 'Stop', severity: 'warning', condition: { stop: { reasons: [] } } } as const
const mail = { id: 't', name: 'Shift', kind: 'mail', addresses: ['shift@example.com'] } as const
const webhook = { id: 'w', name: 'Hook', kind: 'webhook', url: 'https://hook.example/x', secret: 'sealed 1' } as const
const step = (targets: readonly string[]) => ({ afterMs: 0, until: 'resolved', targets }) as const
const faultsOf = (fields: object, plant = new Plant()) => plant.faults('alertRule.put', { ...rule, ...fields })

describe('alert rules', () => {
  it('A rule gets defaults for omitted fields, and unknown fields are not stored', () => {
    const plant = new Plant()
    const condition = { alarm: { nativeCodes: ['7'], states: ['FAULT'], text: '', unknown: 1 } } as const
    plant.result('alertTarget.put', mail)
    const put = plant.result('alertRule.put', { ...rule, condition, steps: [{ ...step(['t']), repeatMs: 60_000 }] })
    expect(put).to.deep.equal({
      ...rule,
      companyId: plant.companyId,
      enabled: true,
      subject: { machineIds: [], machineGroupIds: [], connectorIds: [] },
      condition: { alarm: { nativeCodes: ['7'], states: ['FAULT'], text: '' } },
      forMs: 0,
      when: { scheduled: null, shifts: [], days: [] },
      steps: [{ afterMs: 0, until: 'resolved', targets: ['t'], repeatMs: 60_000 }],
      resolveAfterMs: 0,
      quietMs: 0,
      template: null,
      activeFrom: hour(0),
    })
    expect(plant.result('alertRule.delete', { id: 'r' })).to.equal(null)
    expect(plant.refusal('alertRule.delete', { id: 'r' }).status).to.equal(404)
  })

  it('activeFrom is the last change of enabled, subject, condition, forMs or when', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    let fields: object = {}
    let hours = 0
    const activeFromAfter = (change: object) => {
      fields = { ...fields, ...change }
      hours += 1
      return plant.result('alertRule.put', { ...rule, ...fields }, { atMs: startMs + hours * 3_600_000 }).activeFrom
    }
    expect(activeFromAfter({})).to.equal(hour(1))
    expect(activeFromAfter({ name: 'Other', severity: 'critical', quietMs: 5, resolveAfterMs: 5 })).to.equal(hour(1))
    expect(activeFromAfter({ template: { subject: 'a', text: 'b' } })).to.equal(hour(1))
    expect(activeFromAfter({ forMs: 60_000 })).to.equal(hour(4))
    expect(activeFromAfter({ enabled: false })).to.equal(hour(5))
    expect(activeFromAfter({ subject: { machineIds: [machineId.toUpperCase()] } })).to.equal(hour(6))
    expect(activeFromAfter({ subject: { machineIds: [machineId] } })).to.equal(hour(6))
    expect(activeFromAfter({ when: { days: [1] } })).to.equal(hour(8))
    expect(activeFromAfter({ condition: { silent: true } })).to.equal(hour(9))
  })

  it('A rule names records of the company only', () => {
    const machineId = randomUUID()
    const subject = { machineIds: [machineId], machineGroupIds: ['g'] }
    expect(faultsOf({ subject, condition: { stop: { reasons: [9, 'setup'] } }, steps: [step(['t'])] })).to.deep.equal([
      'subject.machineIds[0] InvalidDataItem',
      'subject.machineGroupIds[0] InvalidDataItem',
      'condition.stop.reasons[0] InvalidDataItem',
      'steps[0].targets[0] InvalidDataItem',
    ])
    expect(faultsOf({ when: { shifts: ['early'] } })).to.deep.equal(['when.shifts[0] InvalidDataItem'])
    expect(faultsOf({ condition: { connector: 'disconnected' }, subject: { connectorIds: ['c'] } })).to.deep.equal([
      'subject.connectorIds[0] InvalidDataItem',
    ])
    expect(faultsOf({ condition: { call: ['help', 'coffee'] } })).to.deep.equal(['condition.call[1] InvalidDataItem'])
    const ids = Array.from({ length: 2_501 }, () => randomUUID())
    expect(faultsOf({ subject: { machineIds: ids, machineGroupIds: ids } })).to.deep.equal(['subject OutOfRange'])
  })

  it('Fields that the condition would ignore, or that do not fit it, are rejected', () => {
    expect(faultsOf({ condition: { silent: true }, forMs: 59_999 })).to.deep.equal(['forMs OutOfRange'])
    expect(faultsOf({ condition: { call: [] }, forMs: 1 })).to.deep.equal(['forMs InvalidDataItem'])
    expect(faultsOf({ condition: { system: 'store', above: 1 } })).to.deep.equal(['condition.above InvalidDataItem'])
    const subject = { machineIds: [randomUUID()] }
    expect(faultsOf({ condition: { system: 'lag' }, subject, when: { scheduled: true } })).to.include.members([
      'subject.machineIds InvalidDataItem',
      'when.scheduled InvalidDataItem',
    ])
    expect(faultsOf({ condition: { stop: { reasons: [] }, silent: true } })).to.include('condition InvalidDataItem')
    expect(faultsOf({ steps: [step([])] })).to.have.length(1)
  })

  it('System checks belong to the first company', () => {
    const plant = new Plant()
    plant.result('alertRule.put', { ...rule, condition: { system: 'lag', above: 30 } })
    const { companyId } = plant.result('company.create', { companyName: 'Second' }, { companyId: null })
    const { errors } = plant.refusal('alertRule.put', { ...rule, condition: { system: 'lag' } }, { companyId })
    expect(errors.map(({ field }) => field)).to.deep.equal(['condition.system'])
  })

  it('A template contains known fields only', () => {
    const template = { subject: '{subject} {constructor}', text: '{detail} { } {ruleName}{{url}}{a.b}' }
    expect(faultsOf({ template })).to.deep.equal([
      'template.subject InvalidDataItem',
      'template.text InvalidDataItem',
      'template.text InvalidDataItem',
    ])
    new Plant().result('alertRule.put', { ...rule, template: { subject: '{subject} {', text: '} {detail} {{url}}' } })
  })

  it('A group, connector, reason or target that a rule names cannot be deleted', () => {
    const plant = new Plant()
    const reasonId = plant.reason()
    plant.result('machineGroup.put', { id: 'g', name: 'Group' })
    plant.result('connector.put', { id: 'c', name: 'C', kind: 'http' })
    plant.result('alertTarget.put', mail)
    const condition = { stop: { reasons: [reasonId] } }
    const subject = { machineGroupIds: ['g'] }
    plant.result('alertRule.put', { ...rule, condition, subject, steps: [step(['t'])] })
    const connected = { condition: { connector: 'disconnected' }, subject: { connectorIds: ['c'] } } as const
    plant.result('alertRule.put', { ...rule, ...connected, id: 's', name: 'Connection' })
    const deletions = [
      ['machineGroup.delete', { id: 'g' }, 'Stop'],
      ['downtimeReason.delete', { id: reasonId }, 'Stop'],
      ['alertTarget.delete', { id: 't' }, 'Stop'],
      ['connector.delete', { id: 'c' }, 'Connection'],
    ] as const
    for (const [name, payload, user] of deletions) {
      const { status, message } = plant.refusal(name, payload)
      expect(status, name).to.equal(409)
      expect(message).to.include(`1 alert rule: ${user}`)
    }
    plant.result('alertRule.delete', { id: 'r' })
    plant.result('alertRule.delete', { id: 's' })
    for (const [name, payload] of deletions) expect(plant.do(name, payload).outcome.ok, name).to.equal(true)
  })

  it('A company has at most 1,000 rules, targets and pauses each', () => {
    const plant = new Plant()
    const pause = { startAt: hour(0), endAt: hour(1) }
    for (let i = 0; i < 1_000; i += 1) {
      plant.result('alertRule.put', { ...rule, id: `r${i}` })
      plant.result('alertTarget.put', { ...mail, id: `t${i}` })
      plant.result('alertPause.put', { ...pause, id: `p${i}` })
    }
    expect(plant.faults('alertRule.put', rule)).to.deep.equal(['id OutOfRange'])
    expect(plant.faults('alertTarget.put', mail)).to.deep.equal(['id OutOfRange'])
    expect(plant.faults('alertPause.put', { ...pause, id: 'p' })).to.deep.equal(['id OutOfRange'])
    plant.result('alertRule.put', { ...rule, id: 'r0', name: 'Changed' })
  })
})

describe('alert targets', () => {
  it('A target has the fields of its kind only', () => {
    const plant = new Plant()
    const faults = (fields: object) => plant.faults('alertTarget.put', { id: 't', name: 'T', ...fields })
    const userId = randomUUID()
    expect(faults({ kind: 'mail', userId, url: 'https://a.example' })).to.deep.equal([
      'userId InvalidDataItem',
      'addresses Required',
      'url InvalidDataItem',
      'userId InvalidDataItem',
    ])
    expect(faults({ kind: 'user', userId })).to.deep.equal(['userId InvalidDataItem'])
    const scripts = [
      'javascript:alert(1)',
      'JavaScript://a.example/%0aalert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
    ]
    const others = ['ftp://a.example', 'file:///etc/passwd', ' https://a.example', 'https:a.example', 'a.example']
    for (const url of [...scripts, ...others, 'https://', 'https://user:word@a.example/'])
      expect(faults({ kind: 'webhook', url, secret: 's' }), url).to.deep.equal(['url InvalidDataItem'])
    expect(faults({ kind: 'mail', addresses: ['a@b\r\nBcc: c@d'] })).to.include('addresses[0] InvalidDataItem')
    expect(faults({ kind: 'mail', addresses: Array.from({ length: 51 }, () => 'a@b.example') })).to.include(
      'addresses OutOfRange',
    )
  })

  it('A webhook keeps its secret; after a rotation, the previous one signs for 24 hours', () => {
    const plant = new Plant()
    const first = { current: 'sealed 1', previous: null, previousUntil: null }
    expect(plant.result('alertTarget.put', webhook).secrets).to.deep.equal(first)
    expect(plant.result('alertTarget.put', { ...webhook, secret: 'sealed 2', name: 'New' }).secrets).to.deep.equal(
      first,
    )
    const rotated = plant.result('alertTarget.rotateSecret', { id: 'w', secret: 'sealed 3' })
    expect(rotated.secrets).to.deep.equal({ current: 'sealed 3', previous: 'sealed 1', previousUntil: hour(24) })
    plant.result('alertTarget.put', mail)
    expect(plant.faults('alertTarget.rotateSecret', { id: 't', secret: 's' })).to.deep.equal(['id InvalidDataItem'])
    expect(plant.refusal('alertTarget.rotateSecret', { id: 'x', secret: 's' }).status).to.equal(404)
    const { secret: _, ...unsealed } = webhook
    expect(plant.faults('alertTarget.put', { ...unsealed, id: 'x' })).to.deep.equal(['secret InvalidDataItem'])
  })
})

describe('pauses of alerts', () => {
  it('A pause ends after its start and names records of the company', () => {
    const plant = new Plant()
    const pause = { id: 'p', startAt: '2026-03-02T09:00:00+01:00', endAt: hour(1) }
    plant.result('alertRule.put', rule)
    expect(plant.result('alertPause.put', { ...pause, subject: { ruleIds: ['r'] } })).to.deep.equal({
      id: 'p',
      companyId: plant.companyId,
      subject: { machineIds: [], machineGroupIds: [], connectorIds: [], ruleIds: ['r'] },
      startAt: hour(0),
      endAt: hour(1),
      note: '',
    })
    const subject = { ruleIds: ['x'], connectorIds: ['y'] }
    expect(plant.faults('alertPause.put', { ...pause, endAt: pause.startAt, subject })).to.have.members([
      'endAt InvalidDataItem',
      'subject.connectorIds[0] InvalidDataItem',
      'subject.ruleIds[0] InvalidDataItem',
    ])
    expect(plant.result('alertPause.delete', { id: 'p' })).to.equal(null)
  })
})

describe('kinds of calls', () => {
  it('The setting callKinds has defaults, and each id once', () => {
    const plant = new Plant()
    expect(plant.result('settings.put', {}).callKinds).to.deep.equal(defaultCompanySettings.callKinds)
    const crane = { id: 'crane', name: 'Crane' }
    expect(plant.result('settings.put', { callKinds: [Object.assign({ x: 1 }, crane)] }).callKinds).to.deep.equal([
      crane,
    ])
    expect(plant.faults('settings.put', { callKinds: [crane, crane] })).to.deep.equal([
      'callKinds[1].id InvalidDataItem',
    ])
  })
})
