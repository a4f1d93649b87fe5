import { assert } from 'chai'
import * as fc from 'fast-check'
import { defaultAlertRule } from '../../schema/records/alert-rule.ts'
import { formOf, ruleOf } from '../../web/screens/alerts/rule-form.ts'
import { lengthOf, type RuleNames, sentenceOf, type ShownRule } from '../../web/screens/alerts/rule-sentence.ts'
import { templatesOf } from '../../web/screens/alerts/templates.ts'
import { countByDate, noticesByTarget, trialRange } from '../../web/screens/alerts/trial-summary.ts'
import { de } from '../../web/texts/de.ts'
import { en } from '../../web/texts/en.ts'
import { createFormat } from '../../web/texts/format.ts'
import { forAll } from '../support/for-all.ts'

const minuteMs = 60_000
const locale = { t: en, format: createFormat('en', 'UTC') }
const german = { t: de, format: createFormat('de', 'UTC') }
const names: RuleNames = {
  machines: new Map([['m', 'Mill 1']]),
  groups: new Map([['g', 'Milling']]),
  connectors: new Map([['c', 'Hall 2']]),
  shifts: new Map([['s', 'Early']]),
  reasons: new Map([['4', 'No material']]),
  calls: new Map([['material', 'Material']]),
  targets: new Map([
    ['a', 'Shift leaders'],
    ['b', 'Maintenance'],
  ]),
}

const base: ShownRule = {
  ...defaultAlertRule,
  id: 'r',
  name: 'Rule',
  severity: 'warning',
  subject: { machineIds: [], machineGroupIds: [], connectorIds: [] },
  condition: { silent: true },
  activeFrom: '2026-01-01T00:00:00.000Z',
}

const anyStep = fc.record({
  afterMs: fc.integer({ min: 1, max: 100 }).map(minutes => minutes * minuteMs),
  until: fc.constantFrom<'acknowledged' | 'resolved'>('acknowledged', 'resolved'),
  targets: fc.subarray(['a', 'b'], { minLength: 1 }),
  repeatMs: fc.constantFrom(null, 600_000),
})
const anyCondition = fc.oneof(
  fc
    .subarray<number | 'setup' | 'uncategorized'>([4, 'setup', 'uncategorized'])
    .map(reasons => ({ stop: { reasons } })),
  fc.constant({ status: ['FAULT' as const] }),
  fc.constant({ silent: true as const }),
  fc.record({
    alarm: fc.record({
      nativeCodes: fc.subarray(['700', 'X 1']),
      states: fc.subarray<'FAULT' | 'WARNING'>(['FAULT']),
      text: fc.constantFrom('', 'axis'),
    }),
  }),
  fc.constant({ connector: 'disconnected' as const }),
  fc.record(
    { system: fc.constantFrom('lag' as const, 'disk' as const), above: fc.integer({ min: 0, max: 500 }) },
    { requiredKeys: ['system'] },
  ),
  fc.record({ system: fc.constantFrom('store' as const, 'log' as const) }),
)
const anyRule: fc.Arbitrary<ShownRule> = fc
  .record({
    enabled: fc.boolean(),
    condition: anyCondition,
    forMs: fc.integer({ min: 1, max: 100 }).map(minutes => minutes * minuteMs),
    when: fc.record({
      scheduled: fc.constantFrom(true, false, null),
      shifts: fc.subarray(['s']),
      days: fc.subarray([1, 7]),
    }),
    steps: fc.array(anyStep, { maxLength: 4 }),
    quietMs: fc.constantFrom(0, 5_000),
  })
  .map(({ when, ...changes }) => {
    const isOfMachine = !('connector' in changes.condition || 'system' in changes.condition)
    return Object.assign({}, base, changes, { when: isOfMachine ? when : { ...when, scheduled: null, shifts: [] } })
  })

describe('the forms and sentences of alert rules', () => {
  it('A rule that is stored without a change in its form stays as it is', async () => {
    const property = fc.property(anyRule, rule => {
      const { id: _, activeFrom: __, ...body } = rule
      assert.deepEqual(ruleOf(formOf(rule), rule), body)
    })
    await forAll(property, { numRuns: 200 })
  })

  it('A rule is a sentence in English and German', () => {
    const rule: ShownRule = {
      ...base,
      subject: { ...base.subject, machineGroupIds: ['g'] },
      condition: { stop: { reasons: [4, 'uncategorized'] } },
      forMs: 10 * minuteMs,
      when: { scheduled: true, shifts: ['s'], days: [1, 2] },
      steps: [
        { afterMs: 0, until: 'acknowledged', targets: ['a'], repeatMs: 15 * minuteMs },
        { afterMs: 20 * minuteMs, until: 'resolved', targets: ['a', 'b'], repeatMs: null },
      ],
    }
    assert.equal(
      sentenceOf(rule, names, locale),
      'When a machine of Milling is down (reason: No material or Uncategorized) for 10 min in scheduled time in the shift Early on Monday or Tuesday, notify Shift leaders, repeated every 15 min; also Shift leaders or Maintenance after 20 min.',
    )
    assert.equal(
      sentenceOf(rule, names, german),
      'Wenn eine Maschine von Milling seit 10 min in geplanter Zeit in der Schicht Early am Montag oder Dienstag steht (Grund: No material oder Nicht kategorisiert), benachrichtige Shift leaders, wiederholt alle 15 min; nach 20 min auch Shift leaders oder Maintenance.',
    )
  })

  it('A rule on the system or a connector is a sentence; its limit is the default of its check', () => {
    const of = (condition: ShownRule['condition'], forMs = 0) => {
      const rule: ShownRule = { ...base, condition, forMs }
      return [sentenceOf(rule, names, locale), sentenceOf(rule, names, german)]
    }
    assert.deepEqual(of({ system: 'lag' }), [
      'When the lag is above 120 s, show an incident.',
      'Wenn der Rückstand über 120 s liegt, zeige einen Vorfall.',
    ])
    assert.deepEqual(of({ system: 'disk', above: 75.5 }, 5 * minuteMs), [
      'When the used disk space is above 75.5% for 5 min, show an incident.',
      'Wenn der belegte Speicherplatz seit 5 min über 75,5 % liegt, zeige einen Vorfall.',
    ])
    assert.deepEqual(of({ system: 'deadLetters' }), [
      'When the number of rejected samples in 10 minutes is above 0, show an incident.',
      'Wenn die Zahl der abgelehnten Messwerte in 10 Minuten über 0 liegt, zeige einen Vorfall.',
    ])
    assert.deepEqual(of({ system: 'store' }, minuteMs), [
      'When ClickHouse is unavailable for 1 min, show an incident.',
      'Wenn ClickHouse seit 1 min nicht erreichbar ist, zeige einen Vorfall.',
    ])
    assert.deepEqual(of({ connector: 'disconnected' }, minuteMs), [
      'When a connector is disconnected for 1 min, show an incident.',
      'Wenn eine Datenquelle seit 1 min getrennt ist, zeige einen Vorfall.',
    ])
  })

  it('A new rule on connectors applies to all of them', () => {
    const [template] = templatesOf(en)
    if (!template) throw new Error('There are templates')
    const { groups: _, notify: __, also: ___, ...form } = template
    const rule: ShownRule = Object.assign({}, base, ruleOf({ ...form, kind: 'connector' }, null))
    assert.equal(sentenceOf(rule, names, locale), 'When a connector is disconnected for 10 min, show an incident.')
  })

  it('A sentence names unknown records by id, and the rule of each template has one', () => {
    const rule: ShownRule = { ...base, subject: { ...base.subject, machineIds: ['m', 'gone'] } }
    assert.equal(sentenceOf(rule, names, locale), 'When Mill 1 or gone has sent no samples, show an incident.')
    for (const { t, format } of [locale, german])
      for (const { groups: _, notify: __, also: ___, ...template } of templatesOf(t)) {
        const sentence = sentenceOf(Object.assign({}, base, ruleOf(template, null)), names, { t, format })
        assert.match(sentence, /^(When|Wenn) \S.*\S, \S.*\.$/)
        assert.notMatch(sentence, /undefined|null| {2}/)
      }
  })

  it('A duration has no units that are zero', () => {
    assert.equal(lengthOf(600_000, locale), '10 min')
    assert.equal(lengthOf(7_200_000, locale), '2 h')
    assert.equal(lengthOf(90_000, locale), '90 s')
  })
})

describe('the test of an alert rule', () => {
  const rule = { timeZone: 'Europe/Berlin', startOfDay: '06:00' }
  const incident = (openedAt: string) => ({
    subject: { type: 'machine' as const, id: 'm', name: 'Mill 1' },
    startedAt: openedAt,
    openedAt,
    endedAt: null,
    notices: [],
  })

  it('It covers the last 7 shop days, up to now', () => {
    const nowMs = Date.UTC(2026, 2, 30, 3, 59)
    const { dates, start, end } = trialRange(rule, nowMs)
    assert.deepEqual([dates[0], dates.at(-1), dates.length], ['2026-03-23', '2026-03-29', 7])
    // Summer time began on the 29th.
    assert.deepEqual([start, end], ['2026-03-23T05:00:00.000Z', '2026-03-30T03:59:00.000Z'])
    assert.equal(trialRange(rule, nowMs + minuteMs).start, '2026-03-24T05:00:00.000Z')
  })

  it('It counts incidents by the shop date of their opening, and days without any', () => {
    const incidents = [incident('2026-03-27T04:59:00.000Z'), incident('2026-03-27T05:00:00.000Z')]
    const counts = countByDate(incidents, ['2026-03-25', '2026-03-26', '2026-03-27'], rule)
    assert.deepEqual(
      counts.map(({ count }) => count),
      [0, 1, 1],
    )
  })

  it('It counts the notices of each target', () => {
    const notice = (at: string, targetId: string) => ({ at, step: 1, targetId })
    const notices = [notice('1', 'b'), notice('2', 'a'), notice('3', 'b')]
    assert.deepEqual(noticesByTarget(notices), [
      { targetId: 'b', at: '1', count: 2 },
      { targetId: 'a', at: '2', count: 1 },
    ])
  })
})
