import { expect } from 'chai'
import { type Evaluation, horizonMs } from '../../../respond/incidents/evaluation.ts'
import type { KnownIncident } from '../../../respond/incidents/incident-change.ts'
import { matchIncidents } from '../../../respond/incidents/match-incidents.ts'
import type { Span } from '../../../respond/spans/spans.ts'

const span = (startMs: number, endMs: number, openedMs = startMs): Span => ({
  startMs,
  endMs,
  openedMs,
  episodes: [{ startMs, endMs, openedMs }],
})

function incident(id: string, startedMs: number, endedMs: number, more: Partial<KnownIncident> = {}): KnownIncident {
  const isOpen = endedMs === Infinity
  return {
    id,
    state: isOpen ? 'open' : 'resolved',
    cause: isOpen ? null : 'condition',
    reopened: 0,
    startedMs,
    openedMs: startedMs,
    endedMs,
    detectedMs: startedMs,
    resolvedMs: isOpen ? null : endedMs,
    ...more,
  }
}

const match = (incidents: readonly KnownIncident[], spans: readonly Span[], more: Partial<Evaluation> = {}) =>
  matchIncidents({
    incidents,
    spans,
    spansWithoutActiveFrom: spans,
    activeFromMs: -Infinity,
    limitMs: 1000,
    evaluatedToMs: -Infinity,
    lateMs: Infinity,
    clockMs: 1000,
    mayOpen: true,
    downs: [],
    recordChangedMs: null,
    ...more,
  })

const times = (startedMs: number, endedMs: number, more = {}) => ({
  startedMs,
  openedMs: startedMs,
  endedMs,
  reopened: 0,
  ...more,
})

describe('matchIncidents', () => {
  it('Of several incidents of a span the unresolved one stays, the rest are merged into it', () => {
    expect(match([incident('a', 0, 10), incident('b', 20, Infinity)], [span(0, Infinity)])).to.deep.equal([
      { type: 'retract', id: 'a', mergedInto: 'b' },
      { type: 'correct', id: 'b', times: times(0, Infinity) },
    ])
    expect(match([incident('a', 0, 10), incident('b', 20, 30)], [span(0, 30)])).to.deep.equal([
      { type: 'retract', id: 'b', mergedInto: 'a' },
      { type: 'correct', id: 'a', times: times(0, 30) },
    ])
  })

  it('Of several spans an unresolved incident keeps the one that holds, a resolved one the earliest', () => {
    const [first, second] = [span(0, 10), span(20, Infinity)]
    expect(match([incident('a', 0, Infinity)], [first, second])).to.deep.equal([
      { type: 'correct', id: 'a', times: times(20, Infinity) },
      { type: 'open', span: first },
    ])
    expect(match([incident('a', 0, 30)], [first, second])).to.deep.equal([
      { type: 'correct', id: 'a', times: times(0, 10) },
      { type: 'open', span: second },
    ])
  })

  it('A resolved incident whose span holds again is unresolved, except if a user resolved it', () => {
    const resolved = incident('a', 0, 10)
    const flapping = { ...span(0, Infinity), episodes: [...span(0, 10).episodes, ...span(12, Infinity).episodes] }
    expect(match([resolved], [flapping])).to.deep.equal([
      { type: 'resume', id: 'a', times: times(0, Infinity, { reopened: 1 }) },
    ])
    const byUser = incident('a', 0, Infinity, { state: 'resolved', cause: 'user' })
    expect(match([byUser], [span(0, Infinity)])).to.deep.equal([])
    expect(match([byUser], [span(0, 50)])).to.deep.equal([{ type: 'correct', id: 'a', times: times(0, 50) }])
  })

  it('A reopening that a late sample takes back stays counted: the ids of deliveries depend on the number', () => {
    const reopened = incident('a', 0, Infinity, { reopened: 1 })
    expect(match([reopened], [span(0, 10)])).to.deep.equal([
      { type: 'resolve', id: 'a', times: times(0, 10, { reopened: 1 }), resolvedMs: 10, cause: 'condition' },
    ])
    expect(match([incident('a', 0, 10, { reopened: 1 })], [span(0, 10)])).to.deep.equal([])
  })

  it('Late data correct the start of an incident that ended with its subject, and its end if it was earlier', () => {
    const left = incident('a', 20, 50, { cause: 'subject' })
    expect(match([left], [span(10, 50)])).to.deep.equal([{ type: 'correct', id: 'a', times: times(10, 50) }])
    expect(match([left], [span(20, 40)])).to.deep.equal([{ type: 'correct', id: 'a', times: times(20, 40) }])
    expect(match([left], [span(20, 50)])).to.deep.equal([])
    expect(match([left], [span(20, Infinity)]), 'the subject came back').to.deep.equal([])
  })

  it('A flap after a user resolved the incident is another incident', () => {
    const flapping = { ...span(0, Infinity), episodes: [...span(0, 10).episodes, ...span(12, Infinity).episodes] }
    const opened = { type: 'open', span: span(12, Infinity) }
    expect(match([incident('a', 0, 10, { cause: 'user' })], [flapping])).to.deep.equal([opened])
    const heldAt = (resolvedMs: number) => incident('a', 0, Infinity, { state: 'resolved', cause: 'user', resolvedMs })
    expect(match([heldAt(5)], [flapping]), 'end and flap in one evaluation').to.deep.equal([
      { type: 'correct', id: 'a', times: times(0, 10) },
      opened,
    ])
    expect(match([heldAt(20)], [flapping]), 'resolved after the flap').to.deep.equal([])
  })

  it('A flap reopens an incident into which one that a user resolved is merged', () => {
    const flapping = { ...span(0, Infinity), episodes: [...span(0, 10).episodes, ...span(12, Infinity).episodes] }
    expect(match([incident('a', 0, 5), incident('b', 8, 10, { cause: 'user' })], [flapping])).to.deep.equal([
      { type: 'retract', id: 'b', mergedInto: 'a' },
      { type: 'resume', id: 'a', times: times(0, Infinity, { reopened: 1 }) },
    ])
  })

  it('An incident without a span is retracted, except beyond the horizon', () => {
    expect(match([incident('a', 0, 10)], [])).to.deep.equal([{ type: 'retract', id: 'a', mergedInto: null }])
    expect(match([incident('a', 0, 10)], [], { limitMs: horizonMs + 10 })).to.deep.equal([])
    expect(match([], [span(0, 10)], { limitMs: horizonMs + 10 })).to.deep.equal([])
  })

  it('After more than 7 days without evaluations, an incident without an end gets the end of its old span', () => {
    const spans = [span(0, 50), span(60, 70)]
    const later = { limitMs: horizonMs + 100 }
    expect(match([incident('a', 0, Infinity)], spans, later)).to.deep.equal([
      { type: 'resolve', id: 'a', times: times(0, 50), resolvedMs: 50, cause: 'condition' },
    ])
    const byUser = incident('a', 0, Infinity, { state: 'resolved', cause: 'user' })
    expect(match([byUser], spans, later)).to.deep.equal([{ type: 'correct', id: 'a', times: times(0, 50) }])
  })

  it('A stop that remains with another reason resolves the incident at the change of the record', () => {
    const downs = [{ startMs: 0, endMs: Infinity }]
    const open = incident('a', 0, Infinity)
    expect(match([open], [], { downs, recordChangedMs: 500 })).to.deep.equal([
      { type: 'resolve', id: 'a', times: times(0, 500), resolvedMs: 500, cause: 'record' },
    ])
    expect(match([open], [], { downs })).to.deep.equal([
      { type: 'resolve', id: 'a', times: times(0, 1000), resolvedMs: 1000, cause: 'condition' },
    ])
    expect(match([incident('a', 0, 10)], [], { downs, recordChangedMs: 500 })).to.deep.equal([])
  })

  it('A later stop does not keep an incident whose stop is gone', () => {
    const downs = [{ startMs: 500, endMs: Infinity }]
    const retracted = [{ type: 'retract', id: 'a', mergedInto: null }]
    expect(match([incident('a', 0, Infinity)], [], { downs })).to.deep.equal(retracted)
    expect(match([incident('a', 0, 600)], [], { downs })).to.deep.equal(retracted)
  })

  it('A changed rule resolves incidents without a span, and opens spans from then on', () => {
    const open = incident('a', 0, Infinity)
    expect(match([open], [], { activeFromMs: 900, spansWithoutActiveFrom: [] })).to.deep.equal([
      { type: 'resolve', id: 'a', times: times(0, 1000), resolvedMs: 1000, cause: 'rule' },
    ])
    const later = span(0, Infinity, 900)
    const held = { activeFromMs: 900, spansWithoutActiveFrom: [span(0, Infinity)] }
    expect(match([open], [later], held), 'the incident continues').to.deep.equal([])
    const ended = incident('a', 0, 800, { cause: 'rule' })
    expect(match([ended], [later], held), 'the rule was enabled again').to.deep.equal([{ type: 'open', span: later }])
  })

  it('A stop that lasts opens under a widened rule, although an incident with its first reason has ended', () => {
    const ended = incident('a', 540, 570)
    const wider = span(540, Infinity, 600)
    const changed = { activeFromMs: 600, spansWithoutActiveFrom: [span(540, Infinity)] }
    expect(match([ended], [wider], changed)).to.deep.equal([{ type: 'open', span: wider }])
  })

  it('An incident that a changed rule ends covers no span of the changed rule', () => {
    const ended = incident('a', 0, 1000, { cause: 'rule' })
    const later = span(940, Infinity, 950)
    const changed = { activeFromMs: 900, limitMs: 1050, clockMs: 1100 }
    expect(match([ended], [later], changed), 'opened between change and clock').to.deep.equal([
      { type: 'open', span: later },
    ])
    const byUser = incident('a', 0, Infinity, { state: 'resolved', cause: 'user' })
    expect(match([byUser], [], changed)).to.deep.equal([{ type: 'correct', id: 'a', times: times(0, 900) }])
  })

  it('An earlier incident that ends covers no span after its end in the same evaluation', () => {
    const [first, second] = [span(0, 950), span(960, 980)]
    const changed = { activeFromMs: 900, spansWithoutActiveFrom: [first, second] }
    expect(match([incident('a', 0, Infinity)], [span(0, 950, 900), second], changed)).to.deep.equal([
      { type: 'resolve', id: 'a', times: times(0, 950), resolvedMs: 950, cause: 'condition' },
      { type: 'open', span: second },
    ])
  })

  it('The time to match grows little faster than the number of incidents and spans', function () {
    // More than ten times what a busy machine needs.
    this.timeout(30_000)
    const many = Array.from({ length: 30_000 }, (_, index) => span(20 * index, 20 * index + 10))
    const known = many.map(({ startMs, endMs }, index) => incident(String(index), startMs, endMs))
    const limits = { limitMs: 600_000, clockMs: 600_000 }
    expect(match(known, many, limits), 'incidents of the rule').to.deep.equal([])
    const changed = { ...limits, activeFromMs: 600_000, spansWithoutActiveFrom: many }
    expect(match(known, many, changed), 'incidents from before its change').to.deep.equal([])
    expect(match(known, [span(0, 600_000)], limits).length, 'incidents of one span').to.equal(30_000)
  })

  it('A flap reopens an incident that a change of the rule found open', () => {
    const flapping = { ...span(0, Infinity), episodes: [...span(0, 910).episodes, ...span(912, Infinity).episodes] }
    const changed = { activeFromMs: 900, spansWithoutActiveFrom: [flapping] }
    expect(match([incident('a', 0, 910)], [{ ...flapping, openedMs: 900 }], changed)).to.deep.equal([
      { type: 'resume', id: 'a', times: times(0, Infinity, { reopened: 1 }) },
    ])
  })

  it('A span that opened before an earlier limit is late', () => {
    const ended = span(400, 500)
    const late = { evaluatedToMs: 401, lateMs: 100 }
    expect(match([], [ended], late)).to.deep.equal([])
    expect(match([], [ended], { ...late, evaluatedToMs: 400 })).to.deep.equal([{ type: 'open', span: ended }])
    expect(match([], [ended], { ...late, lateMs: 501 })).to.deep.equal([{ type: 'open', span: ended }])
  })

  it('Nothing opens while the evaluation may not open', () => {
    expect(match([], [span(0, Infinity)], { mayOpen: false })).to.deep.equal([])
  })
})
