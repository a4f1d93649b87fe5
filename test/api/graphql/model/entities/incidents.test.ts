import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { hashKey } from '../../../../../api/auth/key.ts'
import { resultOrThrow } from '../../../../../schema/commands/command-log.ts'
import { exampleIncident } from '../../../../support/alerting/example-incident.ts'
import { GraphqlSocket } from '../../../../support/graphql-socket.ts'
import { caller, startService, type TestService, testKey } from '../../../../support/service.ts'

const otherKey = 'a-key-of-the-other-company-in-these-tests'
const lathe = randomUUID()
const past = { resolvedAt: '2026-11-27T07:00:00.000Z', endedAt: '2026-11-27T07:00:00.000Z', state: 'resolved' } as const
const ofMachine = { ...past, subject: { type: 'machine', id: lathe, name: 'Lathe' } } as const

describe('incidents in GraphQL', () => {
  let service: TestService
  let callId: string

  const ask = async (query: string, key = testKey): Promise<Readonly<Record<string, unknown>>> => {
    const { body } = await caller(service.url, key)('POST', '/graphql', { query })
    const { data, errors } = Object(body)
    expect(errors).to.equal(undefined)
    return data
  }
  const change = async (path: string, body: object = {}) => {
    const answer = await service.call('POST', path, body)
    expect(answer.status).to.equal(200)
    return String(Object(answer.body).id)
  }

  before(async () => {
    service = await startService()
    const { companyId, commands } = service
    await commands.submit(
      'company.create',
      { companyName: 'Second', adminKeyHash: hashKey(otherKey) },
      { companyId: null },
    )
    resultOrThrow(await commands.submit('machine.put', { id: lathe, name: 'Lathe' }, { companyId }))
    const subject = { type: 'connector', id: lathe, name: 'Secret' } as const
    const by = { kind: 'user', id: randomUUID(), name: 'Ann' } as const
    const acknowledged = { acknowledgedAt: '2026-11-27T06:40:00.000Z', acknowledgedBy: by }
    const incidents = [
      exampleIncident({ ...ofMachine, id: randomUUID(), ...acknowledged, cause: 'condition', reopened: 2 }),
      exampleIncident({ ...past, id: randomUUID(), kind: 'connector', subject, startedAt: '2026-11-27T06:30:00.000Z' }),
    ].map(incident => {
      const { companyId: _, ...past } = incident
      return past
    })
    resultOrThrow(await commands.submit('demo.incidents', { incidents }, { companyId }))
    callId = await change('/calls', { machineId: lathe, kind: 'help', note: 'Chips' })
  })
  after(() => service.stop())

  it('Incidents are a list with filters, aggregates and rows by key, and lead to their machine', async () => {
    const fields = 'kind severity state ruleName startAt endAt acknowledgedBy cause reopened machine { name }'
    const found = await ask(`{
      incidents(where: {machine: {name: {_eq: "Lathe"}}}, order_by: {startAt: asc}, limit: 1) { ${fields} }
      incidents_aggregate(where: {resolvedAt: {_is_null: false}}) { aggregate { count max { startAt } } }
      incidents_by_pk(incidentId: "${callId}") { kind state ruleId machineId subjectName }
    }`)
    expect(found).to.deep.equal({
      incidents: [
        {
          kind: 'stop',
          severity: 'warning',
          state: 'resolved',
          ruleName: 'Long stop',
          startAt: '2026-11-27T06:20:00.000Z',
          endAt: '2026-11-27T07:00:00.000Z',
          acknowledgedBy: 'Ann',
          cause: 'condition',
          reopened: 2,
          machine: { name: 'Lathe' },
        },
      ],
      incidents_aggregate: { aggregate: { count: 2, max: { startAt: '2026-11-27T06:30:00.000Z' } } },
      incidents_by_pk: { kind: 'call', state: 'open', ruleId: null, machineId: lathe, subjectName: 'Lathe' },
    })
  })

  it('Calls are a list of their own, with what is called for', async () => {
    const list =
      'calls { callId callKind note state acknowledgedAt machine { name } } calls_aggregate { aggregate { count } }'
    expect(await ask(`{ ${list} calls_by_pk(callId: "${callId}") { note } }`)).to.deep.equal({
      calls: [
        {
          callId,
          callKind: 'help',
          note: 'Chips',
          state: 'open',
          acknowledgedAt: null,
          machine: { name: 'Lathe' },
        },
      ],
      calls_aggregate: { aggregate: { count: 1 } },
      calls_by_pk: { note: 'Chips' },
    })
  })

  it('Names and ids of connectors and names of their rules are not shown, and no incidents of other companies', async () => {
    const fields = 'machineId subjectName ruleName machine { name }'
    const { incidents } = await ask(`{ incidents(where: {kind: {_eq: "connector"}}) { ${fields} } }`)
    expect(incidents).to.deep.equal([{ machineId: null, subjectName: null, ruleName: null, machine: null }])
    for (const where of ['subjectName: {_like: "Sec%"}', 'kind: {_eq: "connector"}, ruleName: {_like: "Long%"}'])
      expect(await ask(`{ incidents(where: {${where}}) { kind } }`)).to.deep.equal({ incidents: [] })
    const theirs = `{ incidents { kind } calls { note } incidents_by_pk(incidentId: "${callId}") { kind } }`
    expect(await ask(theirs, otherKey)).to.deep.equal({ incidents: [], calls: [], incidents_by_pk: null })
  })

  it('A subscription to unresolved calls is sent each change', async () => {
    const socket = await GraphqlSocket.join(service.url, testKey)
    socket.start(
      '1',
      'subscription { calls(where: {state: {_in: ["open", "acknowledged"]}}) { state acknowledgedBy } }',
    )
    await socket.until(() => socket.results('1').length === 1)
    await change(`/incidents/${callId}/acknowledge`)
    await socket.until(() => socket.results('1').length === 2)
    await change(`/incidents/${callId}/resolve`)
    await socket.until(() => socket.results('1').length === 3)
    const [first, second, third] = socket.results('1')
    expect(first).to.deep.equal({ calls: [{ state: 'open', acknowledgedBy: null }] })
    expect(Object(second).calls[0].state).to.equal('acknowledged')
    expect(third).to.deep.equal({ calls: [] })
    socket.close()
  })
})
