import { isDeepStrictEqual } from 'node:util'
import { toInstant } from '../../shared/time/instant.ts'
import {
  type AuditedKind,
  type AuditItem,
  type AuditPage,
  type AuditQuery,
  auditedKinds,
  defaultAuditLimit,
} from '../../schema/requests/audit.ts'
import { restoreCommand, type Actor, type Change, type RecordEntry } from '../../schema/records.ts'
import { redacted, secretFields } from '../../schema/secrets.ts'
import type { RecordsView } from './records-view.ts'
import { companyOfChange } from './records.ts'
import { instant, join, sql, str, uint32, uint64, type Sql } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'

/** The changes of records as a table; written by the registrar alone. */
export interface AuditProjection {
  /** Idempotent: a change has its place by command and number. Rejects with a `StoreError`. */
  project(entries: readonly RecordEntry[], records: Pick<RecordsView, 'get'>): Promise<void>
  /** `commandOffset` up to which every entry is in the store; -1: none. */
  projectedTo(): Promise<number>
}

const columns = [
  'company',
  'command_offset',
  'change',
  'at',
  'actor',
  'actor_kind',
  'actor_name',
  'command',
  'kind',
  'id',
  'fields',
  'before',
  'after',
] as const
/** An insert that is not answered by then is sent again. */
const withinMs = 10_000

const kinds: ReadonlySet<string> = new Set(auditedKinds)
/** The first says only that someone is still there, the second repeats what was told before. */
const unaudited = new Set(['session.touch', restoreCommand])

export function createAuditProjection(store: Store): AuditProjection {
  return {
    async project(entries, records) {
      const lines = entries
        .filter(({ command }) => !unaudited.has(command.name))
        .flatMap(entry => entry.changes.flatMap((change, index) => line(change, index, entry, records)))
      if (lines.length === 0) return
      await store.insert('audit', columns, lines.join('\n'), { signal: AbortSignal.timeout(withinMs) })
    },

    async projectedTo() {
      const [row] = await store.query<{ readonly last: string }>(
        sql`SELECT max(toInt64(command_offset)) AS last FROM audit HAVING count() > 0`,
        { lane: 'process', signal: AbortSignal.timeout(withinMs) },
      )
      return row ? Number(row.last) : -1
    },
  }
}

function line(
  change: Change,
  index: number,
  { command, commandOffset }: RecordEntry,
  records: Pick<RecordsView, 'get'>,
): string[] {
  const { kind, before, after } = change
  if (!kinds.has(kind)) return []
  const secret = secretFields[kind] ?? []
  const company = companyOfChange(change, command.companyId)
  const by = command.by ?? actorOf(command.actor, company, records)
  const at = new Date(command.nowMs).toISOString().slice(0, -1)
  const id = secret.includes('id') ? redacted : change.id
  const what = [command.name, kind, id, fieldsOf(before, after), shown(before, secret), shown(after, secret)]
  return [JSON.stringify([company, commandOffset, index, at, command.actor, by.kind, by.name, ...what])]
}

/** Of a command that does not say: a key that is still there, else a part of the service. */
function actorOf(id: string, company: string, records: Pick<RecordsView, 'get'>): Actor {
  const key = records.get('key', company, id)
  return key ? { kind: 'key', name: key.name } : { kind: 'service', name: id }
}

/** Of a record that is made or deleted, there is nothing to compare. */
function fieldsOf(before: Change['before'], after: Change['after']): readonly string[] {
  if (!before || !after) return []
  const [was, is] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))]
  return [...new Set([...was.keys(), ...is.keys()])].filter(name => !isDeepStrictEqual(was.get(name), is.get(name)))
}

function shown(record: Change['after'], secret: readonly string[]): string {
  if (!record) return ''
  return JSON.stringify(record, (name, value: unknown) => (secret.includes(name) ? redacted : value))
}

interface Row {
  readonly offset: string
  readonly change: number
  readonly atMs: string
  readonly actor: string
  readonly actor_kind: Actor['kind']
  readonly actor_name: string
  readonly command: string
  readonly kind: string
  readonly id: string
  readonly fields: readonly string[]
  readonly before: string
  readonly after: string
}

/**
 * A page of a company's changes, newest first. A change stands twice until the engine merges, which is seen here: to have the engine
 * see to it, it would read on and on. A page may therefore be shorter than asked for. Rejects with a `StoreError`.
 */
export async function readAudit(
  store: Store,
  companyId: string,
  query: AuditQuery,
  { hidden = [] }: { readonly hidden?: readonly AuditedKind[] } = {},
): Promise<AuditPage> {
  const limit = query.limit ?? defaultAuditLimit
  const rows = await store.query<Row>(sql`
    SELECT command_offset AS offset, change, toUnixTimestamp64Milli(at) AS atMs, actor, actor_kind, actor_name, command, kind, id, fields, before, after
    FROM audit
    WHERE ${join([...conditions(companyId, query), ...hidden.map(kind => sql`kind != ${str(kind)}`)], sql` AND `)}
    ORDER BY company DESC, command_offset DESC, change DESC
    LIMIT ${uint32(limit + 1)}`)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const cursor = rows.length > limit && last ? placeOf(last) : null
  return { items: shown.filter((row, index) => placeOf(row) !== placeOf(shown[index - 1])).map(toItem), cursor }
}

function placeOf(row: Row | undefined): string | null {
  return row ? `${row.offset}-${row.change}` : null
}

function conditions(companyId: string, { cursor, kind, id, actor, start, end }: AuditQuery): readonly Sql[] {
  const [offset = '', change = ''] = cursor?.split('-') ?? []
  return [
    sql`company = ${str(companyId)}`,
    ...(cursor === undefined ? [] : [sql`(command_offset, change) < (${uint64(offset)}, ${uint32(Number(change))})`]),
    ...(kind === undefined ? [] : [sql`kind = ${str(kind)}`]),
    ...(id === undefined ? [] : [sql`id = ${str(id)}`]),
    ...(actor === undefined ? [] : [sql`actor = ${str(actor)}`]),
    ...(start === undefined ? [] : [sql`at >= ${instant(Date.parse(toInstant(start)))}`]),
    ...(end === undefined ? [] : [sql`at < ${instant(Date.parse(toInstant(end)))}`]),
  ]
}

function toItem({ atMs, actor, actor_kind: kind, actor_name: name, before, after, ...row }: Row): AuditItem {
  return {
    at: new Date(Number(atMs)).toISOString(),
    actor: { id: actor, kind, name },
    command: row.command,
    kind: row.kind,
    id: row.id,
    action: before === '' ? 'created' : after === '' ? 'deleted' : 'changed',
    fields: row.fields,
    before: parse(before),
    after: parse(after),
  }
}

function parse(json: string): object | null {
  if (json === '') return null
  const record: object = JSON.parse(json)
  return record
}
