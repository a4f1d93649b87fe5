import { array, int64, second, type Sql, sql, str, uint32 } from '../../../../clickhouse/sql/sql.ts'
import { hours } from '../../../../clickhouse/tables/documents.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { latestValues } from '../../../../clickhouse/tables/samples.ts'
import { statusCodes } from '../../../../clickhouse/tables/values.ts'
import { statuses } from '../../../../schema/document.ts'
import { hourMs, slotOf } from '../../../../shared/time/units.ts'
import { changingWith, type Entity, instant, int, one, text, textOrNull } from '../entity.ts'
import { readings } from '../readings.ts'
import type { Scope } from '../scope.ts'
import { isNotRecent, recentRows } from '../recent-values.ts'
import { fromSelect } from '../sources.ts'

/** Keys that machines have sent. */
export const metrics: Entity = {
  name: 'Metric',
  description: 'A key that a machine has sent',
  key: ['machineRef', 'metricKey', 'type', 'subtype'],
  order: ['machineRef', 'metricKey'],
  columns: {
    metricKey: text(sql`key`),
    type: text(sql`type`),
    subtype: text(sql`subtype`, 'Empty where it was sent without one'),
    category: textOrNull(sql`nullIf(category, '')`, 'SAMPLE, EVENT or CONDITION'),
    machineRef: int(sql`machine`),
  },
  relations: { machine: one('machines', ['machineRef', 'machineRef']) },
  reads: readings('stored-values'),
  source: ({ companyRef }, where) => from(latestValues, companyRef, { final: true, where }),
}

/** How long ago the document may end that says what a machine does now. */
const knownForMs = 2 * hourMs
/** How far back the beginning of a state is looked for in the documents. */
const lookBackMs = 24 * hourMs

/** Keys that are made of documents. */
const madeKeys = ['status', 'inCycle', 'MasterExecution'] as const

/** Latest values as sent: columns machine, key, type, subtype, value, since_ms. */
function sentStates({ companyRef, recentValues }: Scope): Sql {
  const own = sql`key NOT IN ${array(str, madeKeys)}`
  const shown = sql`
    SELECT machine, toString(key) AS key, toString(type) AS type, toString(subtype) AS subtype, value,
      intDiv(at_us, 1000) AS since_ms`
  if (recentValues.length === 0) return sql`${shown} ${from(latestValues, companyRef, { final: true, where: [own] })}`
  const stored = from(latestValues, companyRef, { final: true, where: [own, isNotRecent(recentValues)] })
  return sql`${shown} ${stored} UNION ALL ${shown} FROM (${recentRows(recentValues)}) WHERE ${own}`
}

/** The keys of the timeline channel that are made of documents, with the same columns. */
function madeStates({ companyRef, nowMs, statusStarts }: Scope, needed: ReadonlySet<string>): Sql {
  const fromMs = slotOf(nowMs - (needed.has('startAt') ? lookBackMs : knownForMs))
  const where = [
    sql`slot >= ${second(fromMs)} AND slot <= ${second(slotOf(nowMs))}`,
    sql`toInt64(toUnixTimestamp(slot)) * 1000 + segment_start <= ${int64(nowMs)}`,
  ]
  const unfold = [sql`segment_start, segment_end, segment_status, segment_in_cycle`]
  const segments = sql`
    SELECT machine, toInt64(toUnixTimestamp(slot)) * 1000 + segment_start AS from_ms,
      toInt64(toUnixTimestamp(slot)) * 1000 + segment_end AS to_ms, segment_status AS status,
      segment_in_cycle = 1 AS in_cycle,
      arrayJoin([('status', 'STATUS', ${statusName}), ('inCycle', 'IN_CYCLE', if(in_cycle, 'true', 'false')),
        ('MasterExecution', 'EXECUTION', multiIf(in_cycle, 'ACTIVE', status = ${unavailable}, 'UNAVAILABLE', 'STOPPED'))]) AS state
    ${from(hours, companyRef, { final: true, unfold, where })}`
  const states = sql`
    SELECT machine, state.1 AS key, state.2 AS type, argMax(state.3, from_ms) AS current,
      arrayMax(arrayMap((was, ended) -> if(was = current, 0, ended), groupArray(state.3), groupArray(to_ms))) AS changed_ms,
      min(from_ms) AS first_ms, max(to_ms) AS last_ms
    FROM (${segments}) GROUP BY machine, key, type`
  const starts = statusStarts()
  const [machines, sincesMs] = [starts.map(([machine]) => machine), starts.map(([, sinceMs]) => sinceMs)]
  const since = sql`transform(toInt64(machine), arrayMap(ref -> toInt64(ref), ${array(uint32, machines)}),
    ${array(int64, sincesMs)}, toInt64(first_ms))`
  return sql`
    SELECT machine, key, type, '' AS subtype, current AS value,
      if(changed_ms > 0, changed_ms, least(first_ms, ${since})) AS since_ms
    FROM (${states}) WHERE last_ms > ${int64(nowMs - knownForMs)}`
}

const unavailable = statusCodes.param('UNAVAILABLE')
const statusName = statuses
  .toReversed()
  .reduce((rest, name) => sql`if(status = ${statusCodes.param(name)}, ${nameOf(name)}, ${rest})`, sql`''`)

function nameOf(name: (typeof statuses)[number]): Sql {
  return { UNAVAILABLE: sql`'UNAVAILABLE'`, INACTIVE: sql`'INACTIVE'`, ACTIVE: sql`'ACTIVE'`, FAULT: sql`'FAULT'` }[
    name
  ]
}

/** The latest value of each key of a machine. */
export const currentStates: Entity = {
  name: 'CurrentState',
  description:
    'The latest value of a key of a machine: of the keys that it sends, and of status, inCycle and MasterExecution, which are ' +
    'made of all its paths',
  key: ['machineRef', 'metricKey', 'type', 'subtype'],
  order: ['machineRef', 'metricKey'],
  columns: {
    metricKey: text(sql`key`),
    value: text(sql`value`),
    startAt: changingWith(
      instant(sql`since_ms`, 'When it was said last; of the keys that are made, when the state began'),
      'samples',
      'statuses',
    ),
    type: text(sql`type`),
    subtype: text(sql`subtype`),
    machineRef: int(sql`machine`),
  },
  relations: { machine: one('machines', ['machineRef', 'machineRef']) },
  reads: [...readings('values'), { source: 'documents', keys: madeKeys }],
  source: (scope, where, needed) => fromSelect(sql`${sentStates(scope)} UNION ALL ${madeStates(scope, needed)}`, where),
}
