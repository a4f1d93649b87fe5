import { assert } from 'chai'
import type { IncidentItem } from '../../schema/requests/incidents.ts'
import { countPart, filterIncidents, incidentFilterOf, rulesOf } from '../../web/screens/now/incident-filter.ts'
import { exampleIncident } from '../support/alerting/example-incident.ts'

function incident(id: string, changes: Partial<IncidentItem>): IncidentItem {
  return { ...exampleIncident({ id, ...changes }), assignedName: null }
}

const subject = (id: string) => ({ type: 'machine', id, name: id }) as const
const long = { ruleId: 'long', ruleName: 'Stop 10' }
const short = { ruleId: 'short', ruleName: 'Stop 2' }
const incidents = [
  incident('a', { state: 'open', subject: subject('lathe'), ...long }),
  incident('b', { state: 'acknowledged', subject: subject('mill'), ...short, assignedTo: 'ann' }),
  incident('c', { state: 'open', subject: subject('mill'), kind: 'call', ruleId: null, ruleName: null }),
  incident('d', { state: 'open', subject: { type: 'system', id: 'lag', name: 'Lag' }, ...long }),
]

describe('the filter of open incidents', () => {
  const found = (address: string, machineIds: readonly string[] | null = null, userId: string | null = 'ann') =>
    filterIncidents(incidents, incidentFilterOf(new URLSearchParams(address)), { machineIds, userId })
      .map(({ id }) => id)
      .join('')

  it('The incidents of a part, rules and machines are shown', () => {
    assert.equal(found(''), 'abcd')
    assert.equal(found('state=open'), 'acd')
    assert.equal(found('state=acknowledged'), 'b')
    assert.equal(found('state=mine'), 'b')
    assert.equal(found('state=mine', null, null), '')
    assert.equal(found('state=other'), 'abcd')
    assert.equal(found('rule=long'), 'ad')
    assert.equal(found('rule=short,none'), 'bc')
    assert.equal(found('', ['mill']), 'bc')
    assert.equal(found('state=open&rule=long', ['lathe', 'mill']), 'a')
    assert.equal(found('', []), '')
  })

  it('Each part has its number of incidents, and each rule is an option once, by name', () => {
    assert.deepEqual(
      (['open', 'acknowledged', 'mine'] as const).map(part => countPart(incidents, part, 'ann')),
      [3, 1, 1],
    )
    assert.deepEqual(rulesOf(incidents, 'Without a rule'), [
      { id: 'short', name: 'Stop 2' },
      { id: 'long', name: 'Stop 10' },
      { id: 'none', name: 'Without a rule' },
    ])
  })
})
