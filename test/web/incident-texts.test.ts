import { assert } from 'chai'
import type { IncidentItem } from '../../schema/requests/incidents.ts'
import { detailOf, titleOf } from '../../web/screens/now/incident-texts.ts'
import { de } from '../../web/texts/de.ts'
import { en } from '../../web/texts/en.ts'
import { createFormat } from '../../web/texts/format.ts'

const names = { reasons: new Map([[4, 'No material']]), calls: new Map<string, string>() }
const english = { t: en, format: createFormat('en', 'UTC') }
const german = { t: de, format: createFormat('de', 'UTC') }

describe('the texts of incidents', () => {
  it('The detail of an incident is in the language of the page', () => {
    const textsOf = (detail: IncidentItem['detail']) =>
      [english, german].map(locale => detailOf({ detail }, names, locale))
    assert.deepEqual(textsOf({ reasonId: 4 }), ['No material', 'No material'])
    assert.deepEqual(textsOf({ reasonId: 'uncategorized' }), ['Uncategorized', 'Nicht kategorisiert'])
    assert.deepEqual(textsOf({ status: 'FAULT' }), ['Fault', 'Störung'])
    assert.deepEqual(textsOf({ connectorState: 'disconnected' }), ['Not connected', de.source.states.disconnected])
    assert.deepEqual(textsOf({ connectorState: 'later' }), ['later', 'later'])
    assert.deepEqual(textsOf({}), ['', ''])
  })

  it('The title of an incident is the kind of its call, its rule, or the kind of its condition', () => {
    const calls = new Map([['material', 'Bar stock']])
    const titleFor = (incident: Pick<IncidentItem, 'kind' | 'detail' | 'ruleName'>) => titleOf(incident, { calls }, en)
    const call = (kind: string) => ({ call: { kind, note: '' } })
    assert.equal(titleFor({ kind: 'call', detail: call('material'), ruleName: 'Any call' }), 'Call: Bar stock')
    assert.equal(titleFor({ kind: 'call', detail: call('former'), ruleName: null }), 'Call: former')
    assert.equal(titleFor({ kind: 'stop', detail: {}, ruleName: 'Long stop' }), 'Long stop')
    assert.equal(titleFor({ kind: 'stop', detail: {}, ruleName: null }), en.alerts.kinds.stop)
  })
})
