import { expect } from 'chai'
import type { KnownIncident } from '../../../respond/incidents/incident-change.ts'
import { resolveAll } from '../../../respond/incidents/resolve-all.ts'

const open: KnownIncident = {
  id: 'a',
  state: 'open',
  cause: null,
  reopened: 0,
  startedMs: 0,
  openedMs: 0,
  endedMs: Infinity,
  detectedMs: 0,
  resolvedMs: null,
}
const until = (endedMs: number) => ({ startedMs: 0, openedMs: 0, endedMs, reopened: 0 })

describe('resolveAll', () => {
  it('The end of a rule or subject resolves unresolved incidents', () => {
    const ended: KnownIncident = { ...open, id: 'b', state: 'resolved', cause: 'condition', endedMs: 5 }
    const retracted: KnownIncident = { ...open, id: 'c', state: 'retracted' }
    expect(resolveAll([open, ended, retracted], 'subject', 700, Infinity)).to.deep.equal([
      { type: 'resolve', id: 'a', times: until(700), resolvedMs: 700, cause: 'subject' },
    ])
  })

  it('In a break, an incident ends with the hold', () => {
    expect(resolveAll([open], 'subject', 700, 600)).to.deep.equal([
      { type: 'resolve', id: 'a', times: until(600), resolvedMs: 600, cause: 'condition' },
    ])
    expect(resolveAll([open], 'rule', 700, 600)).to.deep.equal([
      { type: 'resolve', id: 'a', times: until(600), resolvedMs: 700, cause: 'rule' },
    ])
    expect(resolveAll([open], 'subject', 700, 700), 'cut by the decommissioning').to.deep.equal([
      { type: 'resolve', id: 'a', times: until(700), resolvedMs: 700, cause: 'subject' },
    ])
  })

  it('An incident that a user resolved gets its end', () => {
    const byUser: KnownIncident = { ...open, state: 'resolved', cause: 'user' }
    expect(resolveAll([byUser], 'rule', 700, Infinity)).to.deep.equal([{ type: 'correct', id: 'a', times: until(700) }])
    expect(resolveAll([byUser], 'subject', 700, 600)).to.deep.equal([{ type: 'correct', id: 'a', times: until(600) }])
  })
})
