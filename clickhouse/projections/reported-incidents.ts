import type { AlertKind } from '../../schema/records/alert-condition.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { flag, type Kind, nullOr, storedText, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { int64, type Sql, sql } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { incidents, records } from '../tables/records.ts'

/** The members of an incident that reports need. Instants: UTC ms; null: not yet. */
export interface ReportedIncident {
  readonly id: string
  readonly kind: AlertKind
  readonly severity: IncidentRecord['severity']
  /** null: a call without a rule. */
  readonly ruleId: string | null
  readonly ruleName: string
  readonly subjectId: string
  readonly subjectName: string
  readonly startedMs: number
  readonly openedMs: number
  readonly acknowledgedMs: number | null
  readonly resolvedMs: number | null
  /** null: not acknowledged. */
  readonly acknowledgedById: string | null
  readonly acknowledgedByName: string
  /** Whether there is a notice of the second or a later step. */
  readonly isEscalated: boolean
}

/**
 * Reads the incidents of a company that began in [fromMs, toMs), except retracted ones, by start and id. Rejects
 * with a `StoreError`.
 */
export async function readReportedIncidents(
  store: StoreReads,
  { companyId, fromMs, toMs }: { readonly companyId: string; readonly fromMs: number; readonly toMs: number },
  options: QueryOptions,
): Promise<readonly ReportedIncident[]> {
  const began = [sql`started_ms >= ${int64(fromMs)}`, sql`started_ms < ${int64(toMs)}`]
  const ids = sql`SELECT id ${from(incidents, companyId, { final: true, where: began })}`
  const where = [sql`kind = 'incident'`, sql`id IN (${ids})`]
  const query = sql`
    SELECT id, incident.kind AS kind, incident.severity AS severity, incident.ruleId AS ruleId, incident.ruleName AS ruleName,
      incident.subject.id AS subjectId, incident.subject.name AS subjectName,
      assumeNotNull(${msOf(sql`incident.startedAt`)}) AS startedMs, assumeNotNull(${msOf(sql`incident.openedAt`)}) AS openedMs,
      ${msOf(sql`incident.acknowledgedAt`)} AS acknowledgedMs, ${msOf(sql`incident.resolvedAt`)} AS resolvedMs,
      incident.acknowledgedBy.id AS acknowledgedById, incident.acknowledgedBy.name AS acknowledgedByName,
      arrayExists(notice -> notice.step >= 2, incident.notices) AS isEscalated
    FROM (
      SELECT id, JSONExtract(json, ${parsed}) AS incident, deleted
      ${from(records, companyId, { where })} ORDER BY command_offset DESC LIMIT 1 BY id)
    WHERE NOT deleted AND incident.state != 'retracted'
    ORDER BY startedMs, id`
  return rows(store, query, shape, options)
}

/** The members that a report needs; null is read as ''. */
const parsed = sql`'Tuple(state String, kind String, severity String, ruleId String, ruleName String, subject Tuple(id String, name String),
  startedAt String, openedAt String, acknowledgedAt String, resolvedAt String, acknowledgedBy Tuple(id String, name String),
  notices Array(Tuple(step Int32)))'`

function msOf(text: Sql): Sql {
  return sql`toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(${text}, 3, 'UTC'))`
}

/** Texts that the registrar has checked. */
function named<Name extends string>(): Kind<Name> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of incidents has only these
  return storedText as Kind<Name>
}

const textOrNull: Kind<string | null> = {
  accepts: storedText.accepts,
  read: value => (value === '' ? null : String(value)),
}

const shape = {
  id: storedText,
  kind: named<AlertKind>(),
  severity: named<IncidentRecord['severity']>(),
  ruleId: textOrNull,
  ruleName: storedText,
  subjectId: storedText,
  subjectName: storedText,
  startedMs: wide,
  openedMs: wide,
  acknowledgedMs: nullOr(wide),
  resolvedMs: nullOr(wide),
  acknowledgedById: textOrNull,
  acknowledgedByName: storedText,
  isEscalated: flag,
}
