import type { Actor, RecordKind } from '../records.ts'
import { instant, int, list, looseInstant, nullable, object, partial, schema, text } from './json-schema.ts'

/** Kinds of records whose changes are told: what processors say among themselves is no change of the plant's. */
export const auditedKinds = [
  'company',
  'key',
  'user',
  'session',
  'machine',
  'schedule',
  'machineGroup',
  'operator',
  'operatorRun',
  'downtimeReason',
  'annotation',
  'partAdjustmentType',
  'partAdjustment',
  'jobOperation',
  'jobRun',
  'rebuild',
] as const satisfies readonly RecordKind[]
/** Kinds of which only who manages users and keys may know. */
export const managedKinds = ['key', 'user', 'session'] as const satisfies readonly AuditedKind[]
export type AuditedKind = (typeof auditedKinds)[number]

/** One record's change. Secrets show as `redacted`. */
export interface AuditItem {
  readonly at: string
  readonly actor: Actor & { readonly id: string }
  /** What was asked for: `machine.put`. */
  readonly command: string
  readonly kind: string
  readonly id: string
  readonly action: 'created' | 'changed' | 'deleted'
  /** Fields that differ. */
  readonly fields: readonly string[]
  readonly before: object | null
  readonly after: object | null
}

export interface AuditPage {
  readonly items: readonly AuditItem[]
  /** For the next page, of older changes; null: this is the last one. */
  readonly cursor: string | null
}

/** Query of `GET /audit`. */
export interface AuditQuery {
  readonly cursor?: string
  readonly limit?: number
  readonly kind?: AuditedKind
  readonly id?: string
  readonly actor?: string
  readonly start?: string
  readonly end?: string
}

export const defaultAuditLimit = 100

export const auditQuery = schema<AuditQuery>(
  partial({
    cursor: { ...text, pattern: '^\\d{1,16}-\\d{1,9}$', description: 'From the page before' },
    limit: { ...int, minimum: 1, maximum: 1000, default: defaultAuditLimit, description: 'At most so many' },
    kind: { ...text, enum: auditedKinds },
    id: { ...text, maxLength: 200 },
    actor: { ...text, maxLength: 4000, description: 'Id of a key or a user, or what part of the service it was' },
    start: looseInstant,
    end: looseInstant,
  }),
)

const record = nullable({ type: 'object' })

export const auditPage = schema<AuditPage>(
  object({
    items: list(
      object({
        at: instant,
        actor: object({ id: text, kind: { ...text, enum: ['key', 'user', 'service'] }, name: text }),
        command: text,
        kind: text,
        id: text,
        action: { ...text, enum: ['created', 'changed', 'deleted'] },
        fields: list(text),
        before: record,
        after: record,
      }),
    ),
    cursor: nullable(text),
  }),
)
