import { sql } from '../../../../clickhouse/sql/sql.ts'
import { column, type Entity, toOne } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import { instantIn, numberIn, recordsOf, textIn, textOrNullIn } from '../sources.ts'

const isOfMachine = sql`${textIn(sql`'subject', 'type'`)} = 'machine'`
const isOfConnector = sql`${textIn(sql`'kind'`)} = 'connector'`
/** GET /incidents returns the incidents of connectors to callers with `connector.read` only. */
const unlessOfConnector = 'null: of a connector, and named by GET /incidents to callers with connector.read'

/** Columns and relations that incidents and calls have in common. */
const shared = {
  columns: {
    severity: column.text(textIn(sql`'severity'`), 'info, warning or critical'),
    state: column.text(textIn(sql`'state'`), 'open, acknowledged, resolved or retracted'),
    ruleId: column.textOrNull(textOrNullIn(sql`'ruleId'`)),
    ruleName: column.textOrNull(
      sql`if(${isOfConnector}, NULL, ${textOrNullIn(sql`'ruleName'`)})`,
      `At the opening; ${unlessOfConnector}`,
    ),
    startAt: column.instant(instantIn(sql`'startedAt'`)),
    acknowledgedAt: column.instantOrNull(instantIn(sql`'acknowledgedAt'`)),
    acknowledgedBy: column.textOrNull(textOrNullIn(sql`'acknowledgedBy', 'name'`)),
    resolvedAt: column.instantOrNull(instantIn(sql`'resolvedAt'`)),
    resolvedBy: column.textOrNull(textOrNullIn(sql`'resolvedBy', 'name'`)),
    assignedTo: column.uuidOrNull(textOrNullIn(sql`'assignedTo'`), 'Id of a user'),
    machineId: column.uuidOrNull(sql`if(${isOfMachine}, ${textIn(sql`'subject', 'id'`)}, NULL)`),
  },
  relations: { machine: toOne('machines', ['machineId', 'machineId']) },
} satisfies Pick<Entity, 'columns' | 'relations'>

/** Incidents of any state. */
export const incidents: Entity = {
  name: 'Incident',
  description: 'An incident of an alert rule, or a call; unresolved: open or acknowledged',
  key: ['incidentId'],
  order: ['startAt'],
  columns: {
    incidentId: column.uuid(sql`id`),
    kind: column.text(textIn(sql`'kind'`), 'stop, status, silent, alarm, call, connector or system'),
    ...shared.columns,
    subjectName: column.textOrNull(
      sql`if(${isOfConnector}, NULL, ${textIn(sql`'subject', 'name'`)})`,
      unlessOfConnector,
    ),
    openedAt: column.instant(instantIn(sql`'openedAt'`)),
    endAt: column.instantOrNull(instantIn(sql`'endedAt'`), 'null while the condition holds'),
    detectedAt: column.instant(instantIn(sql`'detectedAt'`)),
    cause: column.textOrNull(textOrNullIn(sql`'cause'`), 'condition, user, rule, subject or record'),
    reopened: column.int(sql`assumeNotNull(toInt32(${numberIn(sql`'reopened'`)}))`),
  },
  relations: shared.relations,
  reads: sourceReads('incident'),
  source: recordsOf('incident'),
}

/** Incidents that are calls. */
export const calls: Entity = {
  name: 'Call',
  description: 'A call from a machine',
  key: ['callId'],
  order: ['startAt'],
  columns: {
    callId: column.uuid(sql`id`, 'Id of the incident'),
    callKind: column.text(textIn(sql`'detail', 'call', 'kind'`), 'Id in the setting callKinds'),
    note: column.text(textIn(sql`'detail', 'call', 'note'`)),
    ...shared.columns,
  },
  relations: shared.relations,
  reads: sourceReads('incident'),
  source: (scope, where, needed, bounds) =>
    recordsOf('incident')(scope, [sql`${textIn(sql`'kind'`)} = 'call'`, ...where], needed, bounds),
}
