import type { Scope } from '../../schema/scopes.ts'

/** Name of a scope, and what it permits. */
export interface ScopeText {
  readonly title: string
  readonly allows: string
}

/** Texts of all scopes. */
export type ScopeTexts = Readonly<Record<Scope, ScopeText>>

/** Texts of the scopes of API keys, in English. */
export const scopeTextsEn: ScopeTexts = {
  user: { title: 'User', allows: 'No permissions: only signed-in users manage keys and users.' },
  'erp.read': { title: 'ERP Read', allows: 'Read job operations and job runs.' },
  erp: { title: 'ERP Write', allows: 'Change and import jobs; start and stop job runs.' },
  reporting: { title: 'Reporting Read', allows: 'Reports, files of reports, GraphQL, machines and live status.' },
  'machine.read': { title: 'Machine Read', allows: 'Read machines, groups, schedules and settings; live status.' },
  machine: { title: 'Machine Write', allows: 'Change machines, groups, schedules and settings; the audit trail.' },
  annotation: { title: 'Annotation (Downtime)', allows: 'Assign reasons to downtime, and change the list of reasons.' },
  'annotation.read': { title: 'Annotation Read', allows: 'Read downtime reasons and annotations.' },
  'part-adjustment': {
    title: 'Part Adjustment',
    allows: 'Together with Reporting Read: rejects and corrections of parts.',
  },
  'gateway.read': { title: 'Gateway Read', allows: 'No permissions; accepted for existing clients.' },
  'ingest.activity': { title: 'Ingest Activity', allows: 'Send samples of machines; no read access.' },
  operator: { title: 'Operator', allows: 'Operators, and the times at which they are signed in at machines.' },
  'system.gateway': { title: 'System Gateway', allows: 'Send samples; accepted for existing gateways.' },
  'system.gateway.read': { title: 'System Gateway Read', allows: 'No permissions; accepted for existing clients.' },
}
