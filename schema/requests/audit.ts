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
  type Of,
  oneOf,
  partial,
  shortText,
  text,
  unsafe,
  withDefault,
} from '../types.ts'

/** Kinds of which only who manages users and keys may know. */
export const managedKinds = ['key', 'user', 'session'] as const satisfies readonly AuditedKind[]

export const defaultAuditLimit = 100

export const auditQuery = partial({
  cursor: { ...text, pattern: '^\\d{1,16}-\\d{1,9}$', description: 'From the page before' },
  limit: described(withDefault(integer(1, 1000), defaultAuditLimit), 'Maximum number of changes'),
  kind: named('AuditedKind', oneOf(auditedKinds)),
  id: shortText,
  actor: described(longText, 'Id of a key or a user, or what part of the service it was'),
  start: looseInstant,
  end: looseInstant,
})

export type AuditQuery = Of<typeof auditQuery>

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
export type AuditItem = Of<typeof auditItem>

/** `cursor`: for the next page, of older changes; null: this is the last one. */
export const auditPage = named('AuditPage', object({ items: list(auditItem), cursor: nullable(text) }))
export type AuditPage = Of<typeof auditPage>
