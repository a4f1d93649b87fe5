import { type AuditedKind, auditedKinds } from '../records/record-kinds.ts'
import {
  described,
  instant,
  integer,
  list,
  longText,
  looseInstant,
  named,
  nullable,
  object,
  type Infer,
  oneOf,
  partial,
  shortText,
  text,
  unsafe,
  withDefault,
} from '../types.ts'

/** Kinds whose changes only callers with the right to manage users and keys may read. */
export const managedKinds = ['key', 'user', 'session'] as const satisfies readonly AuditedKind[]

export const defaultAuditLimit = 100

export const auditQuery = partial({
  cursor: { ...text, pattern: '^\\d{1,16}-\\d{1,9}$', description: 'Cursor in the previous page' },
  limit: described(withDefault(integer(1, 1000), defaultAuditLimit), 'Maximum number of changes'),
  kind: named('AuditedKind', oneOf(auditedKinds)),
  id: shortText,
  actor: described(longText, 'Id of a key or a user, or the name of a part of the service'),
  start: looseInstant,
  end: looseInstant,
})

export type AuditQuery = Infer<typeof auditQuery>

const record = nullable(named('AuditRecord', unsafe<object>({ type: 'object' })))

/**
 * One record's change. `command`: the command, such as `machine.put`; `fields`: the changed fields. Secrets are shown
 * as `redacted`.
 */
const auditItem = named(
  'AuditItem',
  object({
    at: instant,
    actor: named(
      'AuditActor',
      object({ id: text, kind: named('AuditActorKind', oneOf(['key', 'user', 'service'])), name: text }),
    ),
    command: text,
    kind: text,
    id: text,
    action: named('AuditAction', oneOf(['created', 'changed', 'deleted'])),
    fields: list(text),
    before: record,
    after: record,
  }),
)
export type AuditItem = Infer<typeof auditItem>

/** `cursor`: for the next page, with older changes; null on the last page. */
export const auditPage = named('AuditPage', object({ items: list(auditItem), cursor: nullable(text) }))
export type AuditPage = Infer<typeof auditPage>
