import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Item } from '../../../api/reports/present/present.ts'
import type { AlertKind } from '../../../schema/records/alert-condition.ts'
import type { IncidentRecord } from '../../../schema/records/incident.ts'
import { hourMs, minuteMs } from '../../../shared/time/units.ts'
import { exampleIncident } from '../../support/alerting/example-incident.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { askFor, at, groupBy, midnightMs, type RecordBody } from './event-support.ts'
import { sample, store, TestPlant } from './plant-support.ts'

const nowMs = midnightMs + 48.5 * hourMs
const mill = '00000000-0000-4000-8000-000000000001'
const lathe = '00000000-0000-4000-8000-000000000002'
const connector = randomUUID()

/** An incident; times in minutes: since midnight for the start, otherwise since the time before. null: not yet. */
interface Drawn {
  readonly subject: string
  readonly kind: AlertKind
  readonly severity: IncidentRecord['severity']
  readonly rule: string | null
  readonly state: IncidentRecord['state']
  readonly started: number
  readonly openedAfter: number
  readonly acknowledgedAfter: number
  readonly acknowledgedBy: string | null
  readonly resolvedAfter: number
  readonly steps: readonly number[]
}

const anyIncident: fc.Arbitrary<Drawn> = fc.record({
  subject: fc.constantFrom(mill, mill, lathe, connector),
  kind: fc.constantFrom<AlertKind>('stop', 'alarm', 'call'),
  severity: fc.constantFrom<Drawn['severity']>('info', 'critical'),
  rule: fc.constantFrom('long', 'fault', null),
  state: fc.constantFrom<Drawn['state']>('open', 'resolved', 'resolved', 'resolved', 'retracted'),
  started: fc.integer({ min: 0, max: 48 * 60 + 24 }),
  openedAfter: fc.constantFrom(0, 5),
  // A user may acknowledge before a correction moves the opening.
  acknowledgedAfter: fc.integer({ min: -3, max: 30 }),
  acknowledgedBy: fc.constantFrom('ann', 'bob', null),
  resolvedAfter: fc.integer({ min: -3, max: 30 }),
  steps: fc.subarray([0, 1, 2, 3]),
})

const groupings = [
  'machine',
  'machineGroup',
  'shift',
  'operator',
  'rule',
  'severity',
  'kind',
  'acknowledgedBy',
] as const
type Name = (typeof groupings)[number] | 'incident' | 'day' | 'hour'
const anyRequest = fc.record({
  groups: fc.shuffledSubarray<Name>([...groupings, 'incident', 'day', 'hour'], { maxLength: 2 }),
  filter: fc.record(
    {
      machine: fc.subarray([mill, lathe, 'none']),
      machineGroup: fc.subarray(['hall', 'none']),
      shift: fc.subarray(['early', 'late', 'none']),
      operator: fc.subarray(['ann', 'bob', 'none']),
      rule: fc.subarray(['long', 'none', 'x']),
      severity: fc.subarray(['critical']),
      kind: fc.subarray(['stop', 'call']),
      acknowledgedBy: fc.subarray(['ann', 'none']),
    },
    { requiredKeys: [] },
  ),
  from: fc.constantFrom(0, 7.5),
  to: fc.constantFrom(48, 21.25),
})

describe('incident reports', () => {
  const database = useFreshDatabase()

  /** A mill with two shifts and operators who overlap, a lathe without a group, and incidents. Returns their ids. */
  async function createPlant(drawn: readonly Drawn[]) {
    const plant = new TestPlant()
    const companyId = plant.company.id
    const times = { optional: false, days: [1, 2, 3, 4, 5, 6, 7] }
    const early = { ...times, id: 'early', ref: 1, name: 'Early', start: '06:00', end: '14:00' }
    const late = { ...times, id: 'late', ref: 2, name: 'Late', start: '14:00', end: '22:00' }
    const versions = [{ effectiveFrom: null, shifts: [early, late] }]
    plant.put('schedule', { id: 'schedule', companyId, name: 'Shifts', versions, exceptions: [] })
    plant.put('machineGroup', { id: 'hall', ref: 1, companyId, name: 'Hall' })
    const fields = { commissionedAt: at(0), scheduleId: 'schedule' }
    const machines = [plant.machine(1, { ...fields, machineGroupIds: ['hall'] }), plant.machine(2, fields)]
    for (const [index, [id, name, start, end]] of operators.entries()) {
      plant.put('operator', { id, companyId, ref: index + 1, name })
      const run = { id: `run-${id}-${companyId}`, companyId, machineId: mill, operatorId: id }
      plant.put('operatorRun', { ...run, startAt: at(start), endAt: at(end) })
    }
    for (const machine of machines) {
      const samples = [sample(machine, midnightMs, 'EXECUTION', 'ACTIVE')]
      // The last hour has no document yet.
      await store(database(), plant.documents(machine, samples, midnightMs, midnightMs + 47 * hourMs))
    }
    const ids = drawn.map(each => plant.put('incident', recordOf(each, companyId)).id)
    await plant.project(database())
    return { plant, ids }
  }

  const ask = (plant: TestPlant, body: object = {}) => askFor('incident', { plant, store: database(), nowMs }, body)

  it('An incident report equals a recomputation from the incidents', async () => {
    const property = fc.asyncProperty(
      fc.array(anyIncident, { maxLength: 30 }),
      fc.array(anyRequest, { minLength: 4, maxLength: 4 }),
      async (drawn, requests) => {
        const { plant, ids } = await createPlant(drawn)
        const all = drawn.map((each, index) => ({ ...each, id: ids[index] ?? '' }))
        for (const { groups, filter, from, to } of requests) {
          const body = await ask(plant, { start: at(from), end: at(to), filter, ...groupBy(...groups) })
          const expected = naive(all, groups, { filter, from, to })
          expect(outline(body), JSON.stringify({ groups, filter, from, to })).to.deep.equal(expected)
        }
      },
    )
    await forAll(property, { numRuns: 12 })
  })

  it('Items have names except those of connectors and their rules, and an incident is an item with its start', async () => {
    const base = { kind: 'stop', severity: 'info', state: 'resolved', openedAfter: 0, steps: [] } as const
    const { plant, ids } = await createPlant([
      {
        ...base,
        subject: mill,
        rule: 'long',
        started: 600,
        acknowledgedAfter: 1,
        acknowledgedBy: 'ann',
        resolvedAfter: 2,
      },
      {
        ...base,
        subject: connector,
        rule: 'gateway',
        started: 540,
        acknowledgedAfter: 1,
        acknowledgedBy: null,
        resolvedAfter: 8,
      },
    ])
    const { items, entities } = await ask(plant, groupBy('machine', 'rule', 'acknowledgedBy'))
    expect(entities).to.deep.equal({
      machine: { [mill]: { id: mill, name: 'Machine 1' }, none: { id: 'none', name: 'No Machine', virtual: true } },
      rule: { long: { id: 'long', name: 'Rule long' }, gateway: { id: 'gateway', name: 'Connector' } },
      acknowledgedBy: {
        ann: { id: 'ann', name: 'Name of ann' },
        none: { id: 'none', name: 'Not acknowledged', virtual: true },
      },
    })
    expect(items).to.have.length(2)
    const flat = await ask(plant, { ...groupBy('incident'), flatten: true })
    const fields = ['incident', 'incidentId', 'incidentStartedAt', 'timeToResolveMsP90']
    const rows = flat.items.map(item => fields.map((name): unknown => Reflect.get(item, name)))
    expect(rows).to.deep.equal([
      ['Connector', ids[1], at(9), 8 * minuteMs],
      [mill, ids[0], at(10), 2 * minuteMs],
    ])
  })

  it('Incidents of other companies and of an empty range are not in the report', async () => {
    const one = fc.sample(anyIncident, 1).map(each => Object.assign(each, { state: 'open' }))
    await createPlant(one)
    const { plant } = await createPlant([])
    expect((await ask(plant)).aggregate).to.deep.include({ recordCount: 0, openMs: 0, timeToResolveMsP50: null })
    const future = await ask(plant, { start: at(100), end: at(200), ...groupBy('day', 'incident') })
    expect(future.items).to.deep.equal([])
  })
})

/** Operators of the mill: id, name, and hours of their presence. */
const operators = [
  ['ann', 'Ann', 6, 15],
  ['bob', 'Bob', 12, 23],
] as const

function recordOf(drawn: Drawn, companyId: string): IncidentRecord {
  const { subject, kind, severity, rule, state, acknowledgedBy, steps } = drawn
  const { started, opened, acknowledged, resolved } = timesOf(drawn)
  const iso = (minute: number) => new Date(midnightMs + minute * minuteMs).toISOString()
  return exampleIncident({
    id: randomUUID(),
    companyId,
    ruleId: rule,
    ruleName: rule && `Rule ${rule}`,
    kind: subject === connector ? 'connector' : kind,
    severity,
    subject: { type: subject === connector ? 'connector' : 'machine', id: subject, name: subject },
    detail: {},
    state,
    startedAt: iso(started),
    openedAt: iso(opened),
    detectedAt: iso(opened),
    acknowledgedAt: acknowledged === null ? null : iso(acknowledged),
    acknowledgedBy:
      acknowledgedBy === null ? null : { kind: 'user', id: acknowledgedBy, name: `Name of ${acknowledgedBy}` },
    resolvedAt: resolved === null ? null : iso(resolved),
    notices: steps.map(step => ({
      event: 'incident.opened',
      step,
      repeat: 0,
      at: iso(opened),
      targetId: 't',
      deliveryId: null,
      isSummarized: false,
    })),
  })
}

function timesOf({ started, openedAfter, acknowledgedAfter, acknowledgedBy, resolvedAfter, state }: Drawn) {
  const opened = started + openedAfter
  return {
    started,
    opened,
    acknowledged: acknowledgedBy === null ? null : opened + acknowledgedAfter,
    resolved: state === 'resolved' ? opened + resolvedAfter : null,
  }
}

type Numbered = Drawn & { readonly id: string }

/** Ids of the groups of an incident. */
function idsOf(incident: Numbered, group: Name, from: number): readonly string[] {
  const { subject, kind, severity, rule, started, acknowledgedBy, id } = incident
  const hour = (started / 60) % 24
  switch (group) {
    case 'machine':
      return [subject === connector ? 'none' : subject]
    case 'machineGroup':
      return [subject === mill ? 'hall' : 'none']
    case 'shift':
      if (subject === connector) return ['none']
      return [hour >= 6 && hour < 14 ? 'early' : hour >= 14 && hour < 22 ? 'late' : 'none']
    case 'operator': {
      const present = operators.filter(([, , start, end]) => started >= start * 60 && started < end * 60)
      return subject === mill && present.length > 0 ? present.map(([operator]) => operator) : ['none']
    }
    case 'rule':
      return [rule ?? 'none']
    case 'severity':
      return [severity]
    case 'kind':
      return [subject === connector ? 'connector' : kind]
    case 'acknowledgedBy':
      return [acknowledgedBy ?? 'none']
    case 'incident':
      return [id]
    case 'day':
      return [String(Math.floor(started / 1440))]
    case 'hour':
      return [String(Math.floor(started / 60) - Math.floor(from))]
  }
}

interface Conditions {
  readonly filter: { readonly [Group in (typeof groupings)[number]]?: readonly string[] }
  readonly from: number
  readonly to: number
}

type Outline = readonly [values: object, children: Readonly<Record<string, unknown>>]

function naive(all: readonly Numbered[], groups: readonly Name[], conditions: Conditions): Outline {
  const { filter, from, to } = conditions
  const counted = all.filter(incident => {
    if (incident.state === 'retracted' || incident.started < from * 60 || incident.started >= to * 60) return false
    return groupings.every(name => {
      const wanted = filter[name] ?? []
      return wanted.length === 0 || idsOf(incident, name, from).some(id => wanted.includes(id))
    })
  })
  return outlineOf(counted, groups, conditions)
}

function outlineOf(counted: readonly Numbered[], groups: readonly Name[], conditions: Conditions): Outline {
  const [group, ...inner] = groups
  const children: Record<string, unknown> = {}
  if (group === undefined) return [valuesOf(counted), children]
  // A filter for one group of an incident hides its other groups.
  const shown = group === 'operator' || group === 'machineGroup' ? (conditions.filter[group] ?? []) : []
  const ids = new Set(counted.flatMap(incident => idsOf(incident, group, conditions.from)))
  for (const id of ids) {
    if (shown.length > 0 && !shown.includes(id)) continue
    const within = counted.filter(incident => idsOf(incident, group, conditions.from).includes(id))
    children[id] = outlineOf(within, inner, conditions)
  }
  return [valuesOf(counted), children]
}

function valuesOf(counted: readonly Numbered[]): object {
  const times = counted.map(timesOf)
  const sinceOpening = (of: (time: (typeof times)[number]) => number | null) =>
    times.flatMap(time => {
      const minute = of(time)
      return minute === null ? [] : [Math.max(0, minute - time.opened) * minuteMs]
    })
  const acknowledge = sinceOpening(({ acknowledged }) => acknowledged)
  const resolve = sinceOpening(({ resolved }) => resolved)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    recordCount: counted.length,
    openMs: sum(sinceOpening(({ resolved }) => resolved ?? 48.5 * 60)),
    timeToAcknowledgeMs: sum(acknowledge),
    timeToAcknowledgeMsP50: nearest(acknowledge, 1, 2),
    timeToAcknowledgeMsP90: nearest(acknowledge, 9, 10),
    timeToResolveMs: sum(resolve),
    timeToResolveMsP50: nearest(resolve, 1, 2),
    timeToResolveMsP90: nearest(resolve, 9, 10),
    unacknowledgedCount: counted.length - acknowledge.length,
    unresolvedCount: counted.length - resolve.length,
    escalatedCount: counted.filter(({ steps }) => steps.some(step => step >= 2)).length,
  }
}

/** The least value within which at least the share `part / whole` of the values is. */
function nearest(values: readonly number[], part: number, whole: number): number | null {
  const enough = values.filter(value => values.filter(each => each <= value).length * whole >= values.length * part)
  return enough.length === 0 ? null : Math.min(...enough)
}

function outline({ aggregate, items }: Pick<RecordBody, 'aggregate' | 'items'>): Outline {
  const children = items.map(item => {
    if (!isItem(item)) throw new Error('flat')
    return [item.entity.id, outline({ aggregate: item.aggregate, items: item.items ?? [] })] as const
  })
  return [aggregate, Object.fromEntries(children)]
}

function isItem(item: RecordBody['items'][number]): item is Item<number | string | null> {
  return typeof item['entity'] === 'object'
}
