import type { Scope } from '../../schema/scopes.ts'

/** Names of the scopes of API keys, in English. */
export const scopeTitlesEn: Readonly<Record<Scope, string>> = {
  user: 'User',
  'erp.read': 'ERP Read',
  erp: 'ERP Write',
  reporting: 'Reporting Read',
  'machine.read': 'Machine Read',
  machine: 'Machine Write',
  connector: 'Connector Write',
  'connector.read': 'Connector Read',
  alert: 'Alert Write',
  'alert.read': 'Alert Read',
  incident: 'Incident Write',
  'incident.read': 'Incident Read',
  annotation: 'Annotation (Downtime)',
  'annotation.read': 'Annotation Read',
  'part-adjustment': 'Part Adjustment',
  'gateway.read': 'Gateway Read',
  'ingest.activity': 'Ingest Activity',
  operator: 'Operator',
  'system.gateway': 'System Gateway',
  'system.gateway.read': 'System Gateway Read',
}

/** Permissions of the scopes of API keys, in English. */
export const scopeTextsEn: Readonly<Record<Scope, string>> = {
  user: 'No permissions: only signed-in users manage keys and users.',
  'erp.read': 'Read job operations and job runs.',
  erp: 'Change and import jobs; start and stop job runs.',
  reporting: 'Reports, files of reports, GraphQL, machines and live status.',
  'machine.read': 'Read machines, groups, schedules and settings; live status.',
  machine: 'Change machines, groups, schedules and settings; the audit trail.',
  connector: 'Change connectors, including their passwords and keys.',
  'connector.read': 'Read connectors and their state; no passwords or keys.',
  alert: 'Change alert rules, targets and pauses; read the names of users.',
  'alert.read': 'Read alert rules, targets, pauses and deliveries; no secrets.',
  incident: 'Acknowledge, resolve, assign and comment incidents; call for help; read the names of users.',
  'incident.read': 'Read incidents and follow them live.',
  annotation: 'Assign reasons to downtime, and change the list of reasons.',
  'annotation.read': 'Read downtime reasons and annotations.',
  'part-adjustment': 'Together with Reporting Read: rejects and corrections of parts.',
  'gateway.read': 'No permissions; accepted for existing clients.',
  'ingest.activity': 'Send samples of machines; no read access.',
  operator: 'Operators, and the times at which they are signed in at machines.',
  'system.gateway': 'Send samples; accepted for existing gateways.',
  'system.gateway.read': 'No permissions; accepted for existing clients.',
}
