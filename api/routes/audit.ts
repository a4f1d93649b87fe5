import { auditPage, auditQuery } from '../../schema/api/audit.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'

const getAudit = route({
  method: 'GET',
  path: '/audit',
  summary: 'Who changed which record when, and how: newest first',
  description:
    'A page of changes; `cursor` of the answer asks for the next one. `start` and `end` bound when, `kind` and `id` which record, `actor` who. Secrets are redacted.',
  scope: anyOf('machine'),
  query: auditQuery,
  output: auditPage,
  handle: ({ caller, query }, { audit }) => audit(caller().company.id, query),
})

export const auditRoutes = [getAudit]
