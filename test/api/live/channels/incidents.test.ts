import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { hashKey } from '../../../../api/auth/key.ts'
import { IncidentsChannel } from '../../../../api/live/channels/incidents.ts'
import type { IncidentRecord } from '../../../../schema/records/incident.ts'
import { exampleIncident } from '../../../support/alerting/example-incident.ts'
import { directRegistrar } from '../../../support/registrar.ts'
import { createMember, type TestMember } from './test-member.ts'

const userId = randomUUID()
const reader = { scopes: ['incident.read'], standsFor: ['a key'] }

/** The channel of an installation with two companies. */
function scene() {
  const registrar = directRegistrar(hashKey('the key of an administrator'))
  registrar.addCompany('Other', hashKey('the key of another administrator'))
  const { records } = registrar
  const otherId = records.companies().find(({ id }) => id !== registrar.company.id)?.id ?? ''
  const channel = new IncidentsChannel({ records })
  records.onChange(change => channel.recordChanged(change))
  const put = (more: Partial<IncidentRecord> = {}) => {
    const incident = exampleIncident({ id: randomUUID(), companyId: registrar.company.id, state: 'open', ...more })
    const before = records.get('incident', incident.companyId, incident.id)
    registrar.apply([{ kind: 'incident', id: incident.id, before, after: incident }])
    return incident
  }
  const follow = (filter: object = {}, caller = reader, companyId = registrar.company.id) => {
    const joined = createMember(companyId, caller)
    channel.commands.set_filter(filter)(joined.member)
    return joined
  }
  return { registrar, otherId, channel, put, follow }
}

/** Ids and states of the updates, and the names of other events. */
function shown({ flush }: TestMember): readonly unknown[] {
  return flush().map(({ event, data }) => {
    if (!('incident' in data)) return event
    const { id, state } = Object(data.incident)
    return `${id} ${state}`
  })
}

describe('live channel of incidents', () => {
  it('The unresolved incidents come before the end of the list, then each change of any state', () => {
    const { put, follow } = scene()
    const incident = put()
    put({ state: 'resolved' })
    const member = follow()
    expect(shown(member)).to.deep.equal([`${incident.id} open`, 'listed'])
    put({ ...incident, state: 'acknowledged' })
    put({ ...incident, state: 'resolved' })
    const later = put()
    expect(shown(member)).to.deep.equal([`${incident.id} resolved`, `${later.id} open`])
    put({ ...later, state: 'retracted' })
    expect(shown(member)).to.deep.equal([`${later.id} retracted`])
  })

  it('A member of another company receives no incident', () => {
    const { put, follow, otherId } = scene()
    const incident = put()
    const other = follow({ machineIds: [incident.subject.id], ruleIds: [incident.ruleId] }, reader, otherId)
    put()
    expect(shown(other)).to.deep.equal(['listed'])
    expect(other.failures.map(({ code, machineIds }) => [code, machineIds])).to.deep.equal([
      ['unknown_machine', [incident.subject.id]],
    ])
  })

  it('Incidents of connectors are sent to callers with connector.read only, also after a change of the scopes', () => {
    const { put, follow } = scene()
    const subject = { type: 'connector', id: 'mill', name: 'Secret' } as const
    const incident = put({ kind: 'connector', subject })
    const caller = { scopes: ['incident'], standsFor: ['a key'] }
    const [without, withScope] = [follow({}, caller), follow({}, { ...caller, scopes: ['incident', 'connector'] })]
    expect(shown(without)).to.deep.equal(['listed'])
    expect(shown(withScope)).to.deep.equal([`${incident.id} open`, 'listed'])
    caller.scopes.push('connector.read')
    put({ ...incident, state: 'acknowledged' })
    expect(shown(without)).to.deep.equal([`${incident.id} acknowledged`])
    caller.scopes.pop()
    put({ ...incident, state: 'resolved' })
    expect(shown(without)).to.deep.equal([])
  })

  it('A filter selects by machine, rule and kind; a missing or empty list selects all; the newest filter counts', () => {
    const { put, follow, channel } = scene()
    const [one, two] = ['One', 'Two'].map(name =>
      put({
        subject: { type: 'machine', id: randomUUID(), name },
        ruleId: name,
        kind: name === 'One' ? 'stop' : 'call',
      }),
    )
    // The id of a connector may be that of a machine.
    put({ kind: 'connector', subject: { type: 'connector', id: one?.subject.id ?? '', name: 'C' }, ruleId: 'Three' })
    const member = follow({ machineIds: [one?.subject.id.toUpperCase()] })
    const selected = () => shown(member).map(text => String(text).slice(0, 36))
    expect(selected()).to.deep.equal([one?.id, 'listed'])
    for (const [filter, ids] of [
      [{ ruleIds: ['Two', 'Four'] }, [two?.id]],
      [{ kinds: ['stop'] }, [one?.id]],
      [{ kinds: ['stop'], ruleIds: ['Two'] }, []],
      [{ machineIds: [], ruleIds: null }, [one?.id, two?.id]],
    ] as const) {
      channel.commands.set_filter(filter)(member.member)
      expect(selected()).to.deep.equal([...ids, 'listed'])
    }
    channel.commands.set_filter({ kinds: ['stop'] })(member.member)
    selected()
    put({ ...two, state: 'resolved' })
    expect(selected()).to.deep.equal([])
  })

  it('An update states whether a notice of the incident is for the user', async () => {
    const { registrar, put, follow } = scene()
    const target = { id: 'ann', companyId: registrar.company.id, name: 'Ann', kind: 'user', userId, addresses: [] }
    const after = { ...target, url: null, language: 'en', collectMs: 0, disabledAt: null, disabledCause: null } as const
    registrar.apply([
      { kind: 'alertTarget', id: 'ann', before: null, after: { ...after, kind: 'user', secrets: null } },
    ])
    const notice = { event: 'incident.opened', step: 1, repeat: 0, at: '2026-03-07T00:00:00.000Z' } as const
    put({ notices: [{ ...notice, targetId: 'ann', deliveryId: null, isSummarized: false }] })
    const ofUser = follow({}, { scopes: ['incident'], standsFor: [userId, 'a session'] })
    const forYou = ({ flush }: TestMember) => flush().flatMap(({ data }) => ('forYou' in data ? [data.forYou] : []))
    expect(forYou(ofUser)).to.deep.equal([true])
    expect(forYou(follow())).to.deep.equal([false])
  })

  it('A member receives nothing after it has left, and a small part of many incidents at a time', () => {
    const { put, follow, channel } = scene()
    for (let count = 0; count < 500; count++) put()
    const member = follow()
    expect(shown(member)).to.have.length(501)
    channel.left(member.member)
    put()
    expect(shown(member)).to.deep.equal([])
  })
})
