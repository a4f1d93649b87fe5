import type { Scope } from '../../schema/scopes.ts'

/** Name of a scope, and what it allows. */
export interface ScopeText {
  readonly title: string
  readonly allows: string
}

export type ScopeTexts = Readonly<Record<Scope, ScopeText>>

export const scopeTextsEn: ScopeTexts = {
  user: { title: 'User', allows: 'Nothing of its own: users who are signed in manage keys and users.' },
  'erp.read': { title: 'ERP Read', allows: 'Read job operations and job runs.' },
  erp: { title: 'ERP Write', allows: 'Change and import jobs; start and stop job runs.' },
  reporting: { title: 'Reporting Read', allows: 'Reports, files of reports, GraphQL, machines and live status.' },
  'machine.read': { title: 'Machine Read', allows: 'Read machines, groups, schedules and settings; live status.' },
  machine: { title: 'Machine Write', allows: 'Change machines, groups, schedules and settings; the audit trail.' },
  annotation: { title: 'Annotation (Downtime)', allows: 'Give downtime its reasons, and change the list of reasons.' },
  'annotation.read': { title: 'Annotation Read', allows: 'Read downtime reasons and annotations.' },
  'part-adjustment': {
    title: 'Part Adjustment',
    allows: 'Together with Reporting Read: rejects and corrections of parts.',
  },
  'gateway.read': { title: 'Gateway Read', allows: 'Nothing of its own; existing clients may name it.' },
  'ingest.activity': { title: 'Ingest Activity', allows: 'Send samples of machines. It cannot read anything.' },
  operator: { title: 'Operator', allows: 'Operators, and when they are at which machine.' },
  'system.gateway': { title: 'System Gateway', allows: 'Send samples, for gateways that have this scope already.' },
  'system.gateway.read': { title: 'System Gateway Read', allows: 'Nothing of its own; existing clients may name it.' },
}
