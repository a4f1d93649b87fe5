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

const getAudit = route('GET /audit', 'listAuditEntries', {
  summary: 'The audit trail: changes of records, newest first',
  description:
    'A page of changes; the `cursor` of the response requests the next one. Filters: `start` and `end` (time), `kind` and `id` (record), `actor` (key or user). Secrets are redacted. Changes of users, sessions and keys are visible to callers that may manage them.',
  scope: anyOf('machine'),
  query: auditQuery,
  output: auditPage,
  handle({ caller, query }, { audit }: AuditPort) {
    const requester = caller()
    return audit(requester.company.id, query, { hidden: hasRole(requester, managingRoles) ? [] : managedKinds })
  },
})

export const auditRoutes = [getAudit]
