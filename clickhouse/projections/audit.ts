import { isDeepStrictEqual } from 'node:util'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { toInstant } from '../../shared/time/instant.ts'
import { type AuditItem, type AuditPage, type AuditQuery, defaultAuditLimit } from '../../schema/requests/audit.ts'
import { type AuditedKind, auditedKinds } from '../../schema/records/record-kinds.ts'
import { restoreCommand, type Actor, type RecordEntry } from '../../schema/commands/command-log.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import { redacted, secretFields } from '../../schema/records/secrets.ts'
import type { RecordsView } from './records-view.ts'
import { companyOfChange } from './company-of-change.ts'
import { narrow, type Kind, listOf, storedText, wide } from '../client/kinds.ts'
import { type RowOf, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { dateTime64, sql, str, uint32, uint64, type Sql } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { audit } from '../tables/records.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'

/** Audit trail: a table of the changes of records. Only the registrar writes it. */
export interface AuditProjection {
  /**
   * Writes the changes of entries. Idempotent: a change is identified by the offset of its command and its index.
   * Rejects with a `StoreError`.
   */
  project(entries: readonly RecordEntry[], records: RecordsView): Promise<void>
}

/** Timeout of an insert, ms; the caller retries it. */
const timeoutMs = 10_000

/**
 * Skip indexes are built by merges: for a part with one or two changes, each index would be two further files to sync.
 */
const withoutIndexes = { materialize_skip_indexes_on_insert: 0 } as const

const kinds: ReadonlySet<string> = new Set(auditedKinds)
/** Commands that are not audited: the first only records activity, the second repeats earlier changes. */
const unaudited = new Set(['session.touch', restoreCommand])
/** Fields of an incident that its rows do not repeat: it keeps all of up to 1,000 notices and 200 comments. */
const listsOfIncident = new Set(['notices', 'comments'])

export function createAuditProjection(store: Store): AuditProjection {
  return {
    async project(entries, records) {
      const changes = await runCooperatively(findAuditedChanges(entries, records))
      if (changes.length === 0) return
      const signal = AbortSignal.timeout(timeoutMs + changes.length)
      await insertRows(store, writer, changes, { signal, settings: withoutIndexes, workload: 'records' })
    },
  }
}

/** A change of a record that gets a row in the audit trail. */
interface AuditedChange {
  readonly change: Change
  /** Index of the change within its command. */
  readonly index: number
  readonly entry: RecordEntry
  /** Id of the company; '' for records of the installation. */
  readonly company: string
  readonly actor: Actor
  /** Names of fields that are redacted. */
  readonly secret: readonly string[]
}

const writer: RowWriter<AuditedChange> = rowWriter(audit, {
  company: ({ company }) => company,
  command_offset: ({ entry }) => entry.commandOffset,
  change: ({ index }) => index,
  at: ({ entry }) => new Date(entry.command.nowMs).toISOString().slice(0, -1),
  actor: ({ entry }) => entry.command.actor,
  actor_kind: ({ actor }) => actor.kind,
  actor_name: ({ actor }) => actor.name,
  command: ({ entry }) => entry.command.name,
  kind: ({ change }) => change.kind,
  id: ({ change, secret }) => (secret.includes('id') ? redacted : change.id),
  fields: ({ change }) => fieldsOf(change.before, change.after),
  before: ({ change, secret }) => shown(change.kind, change.before, secret),
  after: ({ change, secret }) => shown(change.kind, change.after, secret),
})

function* findAuditedChanges(entries: readonly RecordEntry[], records: RecordsView): Steps<readonly AuditedChange[]> {
  const audited: AuditedChange[] = []
  for (const entry of entries) {
    if (unaudited.has(entry.command.name)) continue
    for (const [index, change] of entry.changes.entries()) {
      audited.push(...toAuditedChanges(change, index, entry, records))
      yield
    }
  }
  return audited
}

function toAuditedChanges(change: Change, index: number, entry: RecordEntry, records: RecordsView): AuditedChange[] {
  if (!kinds.has(change.kind) || isOfNoticesOnly(change)) return []
  const { command } = entry
  const company = companyOfChange(change, command.companyId)
  const actor = command.by ?? actorOf(command.actor, company, records)
  return [{ change, index, entry, company, actor, secret: secretFields[change.kind] ?? [] }]
}

/** Returns the actor of a command without one: an existing key, otherwise a part of the service. */
function actorOf(id: string, company: string, records: RecordsView): Actor {
  const key = records.get('key', company, id)
  return key ? { kind: 'key', name: key.name } : { kind: 'service', name: id }
}

/** Returns the names of the changed fields; none if the record was created or deleted. */
function fieldsOf(before: Change['before'], after: Change['after']): readonly string[] {
  if (!before || !after) return []
  const [was, is] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))]
  return [...new Set([...was.keys(), ...is.keys()])].filter(name => !isDeepStrictEqual(was.get(name), is.get(name)))
}

/** Whether only the notices of an incident changed: those are of deliveries, which are not audited. */
function isOfNoticesOnly({ kind, before, after }: Change): boolean {
  if (kind !== 'incident' || !before || !after) return false
  return fieldsOf(before, after).every(name => name === 'notices')
}

function shown(kind: Change['kind'], record: Change['after'], secret: readonly string[]): string {
  if (!record) return ''
  const isLeftOut = (name: string) => kind === 'incident' && listsOfIncident.has(name)
  return JSON.stringify(record, (name, value: unknown) => {
    if (isLeftOut(name)) return undefined
    return secret.includes(name) ? redacted : value
  })
}

const actorKinds = ['key', 'user', 'service'] as const satisfies readonly Actor['kind'][]

const actorKind: Kind<Actor['kind']> = {
  accepts: storedText.accepts,
  read: value => {
    const known = actorKinds.find(each => each === value)
    if (known === undefined) throw new TypeError(`Invalid kind of actor: ${String(value)}`)
    return known
  },
}

const rowShape = {
  offset: storedText,
  change: narrow,
  atMs: wide,
  actor: storedText,
  actor_kind: actorKind,
  actor_name: storedText,
  command: storedText,
  kind: storedText,
  id: storedText,
  fields: listOf(storedText),
  before: storedText,
  after: storedText,
} as const
type Row = RowOf<typeof rowShape>

/**
 * Reads a page of a company's changes, newest first. Until the engine merges parts, a change may be stored repeatedly.
 * Duplicates are removed here, because FINAL would read far more rows, so a page may be shorter than requested. Rejects
 * with a `StoreError`.
 */
export async function readAudit(
  store: Store,
  companyId: string,
  query: AuditQuery,
  { hidden = [] }: { readonly hidden?: readonly AuditedKind[] } = {},
): Promise<AuditPage> {
  const limit = query.limit ?? defaultAuditLimit
  const where = [...conditions(query), ...hidden.map(kind => sql`kind != ${str(kind)}`)]
  const found = await rows(
    store,
    sql`
    SELECT toString(command_offset) AS offset, change, toUnixTimestamp64Milli(at) AS atMs, actor, actor_kind, actor_name, command,
      kind, id, fields, before, after
    ${from(audit, companyId, { where })}
    ORDER BY company DESC, command_offset DESC, change DESC
    LIMIT ${uint32(limit + 1)}`,
    rowShape,
  )
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const cursor = found.length > limit && last ? positionOf(last) : null
  return { items: shown.filter((row, index) => positionOf(row) !== positionOf(shown[index - 1])).map(toItem), cursor }
}

function positionOf(row: Row | undefined): string | null {
  return row ? `${row.offset}-${row.change}` : null
}

function conditions({ cursor, kind, id, actor, start, end }: AuditQuery): readonly Sql[] {
  const [offset = '', change = ''] = cursor?.split('-') ?? []
  return [
    ...(cursor === undefined ? [] : [sql`(command_offset, change) < (${uint64(offset)}, ${uint32(Number(change))})`]),
    ...(kind === undefined ? [] : [sql`kind = ${str(kind)}`]),
    ...(id === undefined ? [] : [sql`id = ${str(id)}`]),
    ...(actor === undefined ? [] : [sql`actor = ${str(actor)}`]),
    ...(start === undefined ? [] : [sql`at >= ${dateTime64(Date.parse(toInstant(start)))}`]),
    ...(end === undefined ? [] : [sql`at < ${dateTime64(Date.parse(toInstant(end)))}`]),
  ]
}

function toItem({ atMs, actor, actor_kind: kind, actor_name: name, before, after, ...row }: Row): AuditItem {
  return {
    at: new Date(atMs).toISOString(),
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
