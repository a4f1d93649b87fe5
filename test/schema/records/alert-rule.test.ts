import { expect } from 'chai'
import { createChecker } from '../../../schema/check.ts'
import { kindOf } from '../../../schema/records/alert-condition.ts'
import { alertCondition } from '../../../schema/records/alert-condition-schema.ts'
import { alertPause } from '../../../schema/records/alert-pause.ts'
import { alertRule } from '../../../schema/records/alert-rule.ts'
import { alertTarget } from '../../../schema/records/alert-target.ts'
import { incident } from '../../../schema/records/incident.ts'
import { exampleIncident } from '../../support/alerting/example-incident.ts'

const subject = { machineIds: [], machineGroupIds: [], connectorIds: [] }
const startAt = '2026-03-02T08:00:00.000Z'

describe('Records of alerting', () => {
  it('a condition has exactly one kind', () => {
    const check = createChecker(alertCondition)
    const conditions = [
      ['stop', { stop: { reasons: [3, 'setup'] } }],
      ['status', { status: ['FAULT'] }],
      ['silent', { silent: true }],
      ['alarm', { alarm: { nativeCodes: [], states: ['FAULT'], text: 'oil' } }],
      ['call', { call: [] }],
      ['connector', { connector: 'disconnected' }],
      ['system', { system: 'disk', above: 90 }],
    ] as const
    for (const [kind, condition] of conditions) {
      expect(check(condition).errors, kind).to.deep.equal([])
      expect(kindOf(condition)).to.equal(kind)
    }
    for (const wrong of [{}, { silent: false }, { silent: true, status: ['FAULT'] }, { status: [] }])
      expect(check(wrong).errors, JSON.stringify(wrong)).to.have.length.above(0)
  })

  it('stored rules, targets, pauses and incidents are valid', () => {
    const rule = {
      id: 'stops',
      companyId: 'c',
      name: 'Stops',
      enabled: true,
      severity: 'warning',
      subject,
      condition: { stop: { reasons: [] } },
      forMs: 600_000,
      when: { scheduled: true, shifts: [], days: [1] },
      steps: [{ afterMs: 0, until: 'acknowledged', targets: ['mail'], repeatMs: null }],
      resolveAfterMs: 0,
      quietMs: 0,
      template: null,
      activeFrom: startAt,
    }
    expect(createChecker(alertRule)(rule).errors).to.deep.equal([])
    const target = {
      id: 'mail',
      companyId: 'c',
      name: 'Shift lead',
      kind: 'mail',
      userId: null,
      addresses: ['lead@example.com'],
      url: null,
      language: 'de',
      collectMs: 5000,
      disabledAt: null,
      disabledCause: null,
      secrets: null,
    }
    expect(createChecker(alertTarget)(target).errors).to.deep.equal([])
    const pause = { id: 'p', companyId: 'c', subject: { ...subject, ruleIds: [] }, startAt, endAt: startAt, note: '' }
    expect(createChecker(alertPause)(pause).errors).to.deep.equal([])
    expect(createChecker(incident)(exampleIncident({ detail: { reasonId: 'uncategorized' } })).errors).to.deep.equal([])
  })
})
