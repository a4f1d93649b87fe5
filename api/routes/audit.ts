import { type AuditPage, auditPage, type AuditQuery, auditQuery, managedKinds } from '../../schema/requests/audit.ts'
import type { AuditedKind } from '../../schema/records/record-kinds.ts'
import { managingRoles } from '../../schema/roles.ts'
import { hasRole } from '../auth/caller.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'

interface AuditPort {
  /** Returns a page of the company's changes of records, newest first. */
  readonly audit: (
    companyId: string,
    query: AuditQuery,
    options: { readonly hidden: readonly AuditedKind[] },
  ) => Promise<AuditPage>
}

const getAudit = route({
  method: 'GET',
  path: '/audit',
  operationId: 'listAuditEntries',
  summary: 'Who changed which record when, and how: newest first',
  description:
    'A page of changes; `cursor` of the answer asks for the next one. `start` and `end` bound when, `kind` and `id` which record, `actor` who. Secrets are redacted. Changes of users, sessions and keys are shown to who may manage these.',
  scope: anyOf('machine'),
  query: auditQuery,
  output: auditPage,
  handle({ caller, query }, { audit }: AuditPort) {
    const asking = caller()
    return audit(asking.company.id, query, { hidden: hasRole(asking, managingRoles) ? [] : managedKinds })
  },
})

export const auditRoutes = [getAudit]
