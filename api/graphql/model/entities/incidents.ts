import { sql } from '../../../../clickhouse/sql/sql.ts'
import {
  type Entity,
  instantColumn,
  instantColumnOrNull,
  intColumn,
  textColumn,
  textColumnOrNull,
  toOne,
  uuidColumn,
  uuidColumnOrNull,
} from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import { instantIn, numberIn, recordsOf, textIn, textOrNullIn } from '../sources.ts'

const isOfMachine = sql`${textIn(sql`'subject', 'type'`)} = 'machine'`
const isOfConnector = sql`${textIn(sql`'kind'`)} = 'connector'`
/** GET /incidents returns the incidents of connectors to callers with `connector.read` only. */
const unlessOfConnector = 'null: of a connector, and named by GET /incidents to callers with connector.read'

/** Columns and relations that incidents and calls have in common. */
const shared = {
  columns: {
    severity: textColumn(textIn(sql`'severity'`), 'info, warning or critical'),
    state: textColumn(textIn(sql`'state'`), 'open, acknowledged, resolved or retracted'),
    ruleId: textColumnOrNull(textOrNullIn(sql`'ruleId'`)),
    ruleName: textColumnOrNull(
      sql`if(${isOfConnector}, NULL, ${textOrNullIn(sql`'ruleName'`)})`,
      `At the opening; ${unlessOfConnector}`,
    ),
    startAt: instantColumn(instantIn(sql`'startedAt'`)),
    acknowledgedAt: instantColumnOrNull(instantIn(sql`'acknowledgedAt'`)),
    acknowledgedBy: textColumnOrNull(textOrNullIn(sql`'acknowledgedBy', 'name'`)),
    resolvedAt: instantColumnOrNull(instantIn(sql`'resolvedAt'`)),
    resolvedBy: textColumnOrNull(textOrNullIn(sql`'resolvedBy', 'name'`)),
    assignedTo: uuidColumnOrNull(textOrNullIn(sql`'assignedTo'`), 'Id of a user'),
    machineId: uuidColumnOrNull(sql`if(${isOfMachine}, ${textIn(sql`'subject', 'id'`)}, NULL)`),
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
    incidentId: uuidColumn(sql`id`),
    kind: textColumn(textIn(sql`'kind'`), 'stop, status, silent, alarm, call, connector or system'),
    ...shared.columns,
    subjectName: textColumnOrNull(
      sql`if(${isOfConnector}, NULL, ${textIn(sql`'subject', 'name'`)})`,
      unlessOfConnector,
    ),
    openedAt: instantColumn(instantIn(sql`'openedAt'`)),
    endAt: instantColumnOrNull(instantIn(sql`'endedAt'`), 'null while the condition holds'),
    detectedAt: instantColumn(instantIn(sql`'detectedAt'`)),
    cause: textColumnOrNull(textOrNullIn(sql`'cause'`), 'condition, user, rule, subject or record'),
    reopened: intColumn(sql`assumeNotNull(toInt32(${numberIn(sql`'reopened'`)}))`),
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
    callId: uuidColumn(sql`id`, 'Id of the incident'),
    callKind: textColumn(textIn(sql`'detail', 'call', 'kind'`), 'Id in the setting callKinds'),
    note: textColumn(textIn(sql`'detail', 'call', 'note'`)),
    ...shared.columns,
  },
  relations: shared.relations,
  reads: sourceReads('incident'),
  source: (scope, where, needed, bounds) =>
    recordsOf('incident')(scope, [sql`${textIn(sql`'kind'`)} = 'call'`, ...where], needed, bounds),
}
