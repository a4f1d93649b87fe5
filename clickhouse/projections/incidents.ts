import type { AlertKind } from '../../schema/records/alert-condition.ts'
import type { IncidentRecord, IncidentState } from '../../schema/records/incident.ts'
import { flag, storedText } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { array, int64, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { incidents, records } from '../tables/records.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

/** A page of incidents of a company. Lists: any of the values; null: all. */
export interface IncidentPage {
  readonly companyId: string
  readonly states: readonly IncidentState[]
  readonly kinds: readonly AlertKind[] | null
  readonly severities: readonly IncidentRecord['severity'][] | null
  /** In their stored form. */
  readonly machineIds: readonly string[] | null
  readonly ruleIds: readonly string[] | null
  /** Incidents that overlap [fromMs, toMs), UTC ms; null: no bound. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** Order by start, then id; DESC: newest first. */
  readonly direction: 'ASC' | 'DESC'
  /** Incident after which the page begins, in this order; null: the first page. */
  readonly after: { readonly startedMs: number; readonly id: string } | null
  readonly limit: number
}

/** An incident without the lists that grow with its age. */
export type ListedIncident = Omit<IncidentRecord, 'notices' | 'comments'>

/** Reads incidents by start and id, in the direction of the page. Rejects with a `StoreError`. */
export async function readIncidents(
  store: StoreReads,
  page: IncidentPage,
  options: QueryOptions,
): Promise<readonly ListedIncident[]> {
  const { companyId, direction, limit } = page
  const inOrder = direction === 'ASC' ? sql`ORDER BY started_ms, id` : sql`ORDER BY started_ms DESC, id DESC`
  const ids = sql`
    SELECT id ${from(incidents, companyId, { final: true, where: conditionsOf(page) })}
    ${inOrder} LIMIT ${uint32(limit)}`
  const where = [sql`kind = 'incident'`, sql`id IN (${ids})`]
  // Notices and comments may be a thousand times as large as the rest.
  const query = sql`
    SELECT JSONMergePatch(json, '{"notices":null,"comments":null}') AS json_text, deleted
    FROM (SELECT id, json, deleted ${from(records, companyId, { where })} ORDER BY command_offset DESC LIMIT 1 BY id)`
  const found = await rows(store, query, { json_text: storedText, deleted: flag }, options)
  return found
    .filter(({ deleted }) => !deleted)
    .map(({ json_text }) => toListed(JSON.parse(json_text)))
    .toSorted(byStart(direction))
}

/** Returns an incident without the lists that grow with its age. */
export function toListed(incident: IncidentRecord): ListedIncident {
  const { notices: _, comments: __, ...listed } = incident
  return listed
}

type Place = Pick<IncidentRecord, 'startedAt' | 'id'>

/** Returns the comparison of incidents by start and id in a direction. */
export function byStart(direction: IncidentPage['direction']): (a: Place, b: Place) => number {
  const sign = direction === 'ASC' ? 1 : -1
  return (a, b) => sign * (compareTexts(a.startedAt, b.startedAt) || compareTexts(a.id, b.id))
}

function conditionsOf(page: IncidentPage): readonly Sql[] {
  const { states, kinds, severities, machineIds, ruleIds, fromMs, toMs } = page
  const isOneOf = (column: Sql, values: readonly string[] | null): readonly Sql[] =>
    values === null ? [] : [sql`${column} IN ${array(str, values)}`]
  return [
    sql`deleted = 0`,
    ...isOneOf(sql`state`, states),
    ...isOneOf(sql`kind`, kinds),
    ...isOneOf(sql`severity`, severities),
    ...isOneOf(sql`subject_id`, machineIds),
    // An id of a connector may be that of a machine.
    ...(machineIds === null ? [] : [sql`kind NOT IN ('connector', 'system')`]),
    ...isOneOf(sql`rule_id`, ruleIds),
    ...(fromMs === null ? [] : [sql`ended_ms > ${int64(fromMs)} OR ended_ms IS NULL`]),
    ...(toMs === null ? [] : [sql`started_ms < ${int64(toMs)}`]),
    ...conditionOfAfter(page),
  ]
}

function conditionOfAfter({ after, direction }: IncidentPage): readonly Sql[] {
  if (after === null) return []
  const last = sql`(${int64(after.startedMs)}, ${str(after.id)})`
  return [direction === 'ASC' ? sql`(started_ms, id) > ${last}` : sql`(started_ms, id) < ${last}`]
}
