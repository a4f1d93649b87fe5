import type { IncidentRecord } from '../../../schema/records/incident.ts'

/** An open incident of a rule about stops, with changes. */
export function exampleIncident(changes: Partial<IncidentRecord> = {}): IncidentRecord {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    companyId: 'company',
    ruleId: 'rule',
    ruleName: 'Long stop',
    kind: 'stop',
    severity: 'warning',
    subject: { type: 'machine', id: 'machine', name: 'Mill 1' },
    detail: { reasonId: 7 },
    state: 'open',
    startedAt: '2026-11-27T06:20:00.000Z',
    openedAt: '2026-11-27T06:30:00.000Z',
    endedAt: null,
    detectedAt: '2026-11-27T06:30:01.000Z',
    acknowledgedAt: null,
    acknowledgedBy: null,
    resolvedAt: null,
    resolvedBy: null,
    cause: null,
    assignedTo: null,
    mergedInto: null,
    reopened: 0,
    reopenedAt: null,
    notices: [],
    comments: [],
    ...changes,
  }
}
