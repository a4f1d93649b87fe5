import { type AuditedKind, auditedKinds } from '../records/record-kinds.ts'
import * as t from '../types.ts'

/** Kinds whose changes only callers with the right to manage users and keys may read. */
export const managedKinds = ['key', 'user', 'session'] as const satisfies readonly AuditedKind[]

export const defaultAuditLimit = 100

export const auditQuery = t.partial({
  cursor: { ...t.text, pattern: '^\\d{1,16}-\\d{1,9}$', description: 'Cursor in the previous page' },
  limit: t.described(t.withDefault(t.integer(1, 1000), defaultAuditLimit), 'Maximum number of changes'),
  kind: t.named('AuditedKind', t.oneOf(auditedKinds)),
  id: t.shortText,
  actor: t.described(t.longText, 'Id of a key or a user, or the name of a part of the service'),
  start: t.looseInstant,
  end: t.looseInstant,
})

export type AuditQuery = t.Infer<typeof auditQuery>

const record = t.nullable(t.named('AuditRecord', t.unsafe<object>({ type: 'object' })))

/**
 * One record's change. `command`: the command, such as `machine.put`; `fields`: the changed fields. Secrets are shown
 * as `redacted`.
 */
const auditItem = t.named(
  'AuditItem',
  t.object({
    at: t.instant,
    actor: t.named(
      'AuditActor',
      t.object({ id: t.text, kind: t.named('AuditActorKind', t.oneOf(['key', 'user', 'service'])), name: t.text }),
    ),
    command: t.text,
    kind: t.text,
    id: t.text,
    action: t.named('AuditAction', t.oneOf(['created', 'changed', 'deleted'])),
    fields: t.list(t.text),
    before: record,
    after: record,
  }),
)
export type AuditItem = t.Infer<typeof auditItem>

/** `cursor`: for the next page, with older changes; null on the last page. */
export const auditPage = t.named('AuditPage', t.object({ items: t.list(auditItem), cursor: t.nullable(t.text) }))
export type AuditPage = t.Infer<typeof auditPage>
