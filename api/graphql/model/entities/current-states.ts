import { array, int64, join, second, type Sql, sql, str, uint32 } from '../../../../clickhouse/sql/sql.ts'
import { hours } from '../../../../clickhouse/tables/documents.ts'
import { from, whereAll } from '../../../../clickhouse/tables/from.ts'
import { decidingSamples, latestValues, samples } from '../../../../clickhouse/tables/samples.ts'
import { openEnd, statusCodes } from '../../../../clickhouse/tables/values.ts'
import type { CompanyRef } from '../../../../schema/refs.ts'
import { statuses } from '../../../../schema/document.ts'
import { stateSampleTypes } from '../../../../processors/timeline/names.ts'
import { dayMs, hourMs, slotOf } from '../../../../shared/time/units.ts'
import { column, type Bounds, changingWith, type Entity, toOne, conditionsOn, unbounded } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import type { QueryScope } from '../scope.ts'
import { isNotRecent, selectRecentValues } from '../recent-values.ts'
import { fromSelect } from '../sources.ts'

/** The keys of the samples of each machine. */
export const machineKeys: Entity = {
  name: 'Metric',
  description: 'A key of which a machine has sent samples',
  key: ['machineRef', 'metricKey', 'type', 'subtype'],
  order: ['machineRef', 'metricKey'],
  columns: {
    metricKey: column.text(sql`key`),
    type: column.text(sql`type`),
    subtype: column.text(sql`subtype`, 'Empty if the samples have no subtype'),
    category: column.textOrNull(sql`nullIf(category, '')`, 'SAMPLE, EVENT or CONDITION'),
    machineRef: column.int(sql`machine`),
  },
  relations: { machine: toOne('machines', ['machineRef', 'machineRef']) },
  reads: sourceReads('stored-values'),
  source: ({ companyRef }, where) => from(latestValues, companyRef, { final: true, where }),
}

/** A machine whose newest hourly document ended before this time has no derived states. */
const maxDocumentAgeMs = 2 * hourMs
/** How far back samples and documents are searched for the start of the current value. */
const lookBackMs = 24 * hourMs

/** Keys whose values are derived from hourly documents. */
export const derivedKeys = ['status', 'inCycle', 'MasterExecution'] as const

const dayUs = dayMs * 1000
const dayOf = (ms: number) => Math.floor(ms / dayMs)

/**
 * Condition: samples of this kind determine the state of a machine, and the table `deciding_samples` contains all of
 * them.
 */
const isStateSample = sql`(category = 'CONDITION'
  OR replaceRegexpAll(upperUTF8(type), '[_\\s]', '') IN ${array(str, stateSampleTypes)})`

/** Selects the latest value of each key that machines send: columns machine, key, type, subtype, value, since_ms. */
function selectSentStates(
  { companyRef, nowMs, recentValues }: QueryScope,
  needed: ReadonlySet<string>,
  bounds: Bounds,
): Sql {
  const { texts } = bounds
  const own = [
    ...conditionsOn(bounds, 'machineRef'),
    sql`key NOT IN ${array(str, derivedKeys)}`,
    ...(texts === null ? [] : [sql`key IN ${array(str, texts)}`]),
  ]
  const latest = selectLatest(companyRef, own, recentValues)
  const names = sql`l.machine AS machine, toString(l.key) AS key, toString(l.type) AS type, toString(l.subtype) AS subtype, l.value AS value`
  if (!needed.has('startAt')) return sql`SELECT ${names}, intDiv(l.at_us, 1000) AS since_ms FROM (${latest}) AS l`
  const recent = [...own, sql`at_us >= ${int64((nowMs - lookBackMs) * 1000)}`]
  // State samples are read from a table of their own, which has about a fiftieth of all samples. Samples of the
  // category SAMPLE, most of the others, are not searched, because measured values change all the time.
  const ofState = [sql`intDiv(at_us, ${int64(dayUs)}) >= ${int64(dayOf(nowMs - lookBackMs))}`, isStateSample, ...recent]
  const otherKeys = from(latestValues, companyRef, {
    final: true,
    where: [...own, sql`category != 'SAMPLE'`, sql`NOT ${isStateSample}`],
  })
  const others = [...recent, sql`key IN (SELECT key ${otherKeys})`]
  const columns = sql`machine, key, type, subtype, value, at_us`
  const candidates = sql`
    SELECT ${columns} ${from(decidingSamples, companyRef, { where: ofState })}
    UNION ALL SELECT ${columns} ${from(samples, companyRef, { where: others })}`
  // Keys and values are grouped by their hashes, because that takes a third of the time of grouping by their texts.
  const histories = sql`
    SELECT machine, cityHash64(key, type, subtype) AS name, groupArray(at_us) AS times_us, groupArray(cityHash64(value)) AS candidates,
      argMax(cityHash64(value), at_us) AS current
    FROM (${candidates}) GROUP BY machine, name`
  const unchanged = sql`
    SELECT machine, name, current, arrayMax((us, each) -> if(each = current, 0, us), times_us, candidates) AS changed_us,
      arrayMin(us -> if(us > changed_us, us, ${openEnd.none}), times_us) AS since_us
    FROM (${histories})`
  return sql`
    SELECT ${names}, intDiv(if(h.since_us > 0 AND h.current = cityHash64(l.value), h.since_us, l.at_us), 1000) AS since_ms
    FROM (${latest}) AS l LEFT ANY JOIN (${unchanged}) AS h
    ON l.machine = h.machine AND cityHash64(l.key, l.type, l.subtype) = h.name`
}

/** Selects the latest value of each key: the stored one, or a newer one that is not stored yet. */
function selectLatest(companyRef: CompanyRef, own: readonly Sql[], recent: QueryScope['recentValues']): Sql {
  const columns = sql`machine, key, type, subtype, value, at_us`
  if (recent.length === 0) return sql`SELECT ${columns} ${from(latestValues, companyRef, { final: true, where: own })}`
  const stored = from(latestValues, companyRef, { final: true, where: [...own, isNotRecent(recent)] })
  return sql`SELECT ${columns} ${stored} UNION ALL SELECT ${columns} FROM (${selectRecentValues(recent)}) ${whereAll(own)}`
}

/** Selects the current values of the derived keys, with the same columns as `selectSentStates`. */
function selectDerivedStates(
  { companyRef, nowMs, statusStarts }: QueryScope,
  needed: ReadonlySet<string>,
  bounds: Bounds,
): Sql {
  const { texts } = bounds
  const fromMs = slotOf(nowMs - (needed.has('startAt') ? lookBackMs : maxDocumentAgeMs))
  const where = [
    ...conditionsOn(bounds, 'machineRef'),
    sql`slot >= ${second(fromMs)} AND slot <= ${second(slotOf(nowMs))}`,
    sql`toInt64(toUnixTimestamp(slot)) * 1000 + segment_start <= ${int64(nowMs)}`,
  ]
  const unfold = [sql`segment_start, segment_end, segment_status, segment_in_cycle`]
  const sinceFromMs = sql`toUInt64(toInt64(toUnixTimestamp(slot)) * 1000 - ${int64(fromMs)} + segment_start)`
  // Segments are packed into numbers, newest first: arrays of numbers take a third of the time of arrays of tuples.
  const packed = sql`bitShiftLeft(bitShiftLeft(${sinceFromMs}, ${packing.lengthBits}) + (segment_end - segment_start), 8)
    + segment_status * 2 + segment_in_cycle`
  const segments = sql`
    SELECT machine, arrayReverseSort(groupArray(${packed})) AS segments
    ${from(hours, companyRef, { final: true, unfold, where })} GROUP BY machine`
  const selectedKeys = derivedKeys.filter(key => texts === null || texts.includes(key))
  const series = selectedKeys.map(key => {
    const { type, code } = derivedKeyOf[key]
    return sql`(${str(key)}, ${str(type)}, arrayMap(each -> toUInt8(${code}), segments))`
  })
  const states = sql`
    SELECT machine, segments, arrayJoin([${join(series)}]) AS series, series.3[1] AS current,
      arrayFirstIndex(each -> each != current, series.3) AS changed
    FROM (${segments})`
  const starts = statusStarts()
  const [machines, sincesMs] = [starts.map(([machine]) => machine), starts.map(([, sinceMs]) => sinceMs)]
  const startOf = (segment: Sql) => sql`(${int64(fromMs)} + toInt64(bitShiftRight(${segment}, ${packing.startAt})))`
  const endOf = (segment: Sql) =>
    sql`(${startOf(segment)} + toInt64(bitAnd(bitShiftRight(${segment}, 8), ${packing.lengthMask})))`
  const firstMs = startOf(sql`segments[-1]`)
  const since = sql`transform(toInt64(machine), arrayMap(ref -> toInt64(ref), ${array(uint32, machines)}),
    ${array(int64, sincesMs)}, ${firstMs})`
  const value = selectedKeys.reduceRight(
    (rest, key) => sql`if(series.1 = ${str(key)}, ${derivedKeyOf[key].value}, ${rest})`,
    sql`''`,
  )
  return sql`
    SELECT machine, series.1 AS key, series.2 AS type, '' AS subtype, ${value} AS value,
      if(changed > 0, ${endOf(sql`segments[changed]`)}, least(${firstMs}, ${since})) AS since_ms
    FROM (${states}) WHERE ${endOf(sql`segments[1]`)} > ${int64(nowMs - maxDocumentAgeMs)}`
}

/**
 * Bits of a segment packed into one number that sorts by time: ms from the first hour to the start of the segment, its
 * length in ms (22 bits are enough for an hour), 7 bits of status, and one bit for inCycle.
 */
const packing = { lengthBits: sql`22`, lengthMask: sql`4194303`, startAt: sql`30` } as const

const statusName = statuses
  .toReversed()
  .reduce((rest, name) => sql`if(current = ${statusCodes.param(name)}, ${str(name)}, ${rest})`, sql`''`)

/** Type and SQL of a derived key. */
interface DerivedKey {
  readonly type: string
  /** SQL of the code of the value in the packed segment `each`. */
  readonly code: Sql
  /** SQL of the value whose code is `current`. */
  readonly value: Sql
}

const statusOfEach = sql`bitShiftRight(bitAnd(each, 255), 1)`

const derivedKeyOf: Readonly<Record<(typeof derivedKeys)[number], DerivedKey>> = {
  status: { type: 'STATUS', code: statusOfEach, value: statusName },
  inCycle: { type: 'IN_CYCLE', code: sql`bitAnd(each, 1)`, value: sql`if(current = 1, 'true', 'false')` },
  MasterExecution: {
    type: 'EXECUTION',
    code: sql`multiIf(bitAnd(each, 1) = 1, 1, ${statusOfEach} = ${statusCodes.param('UNAVAILABLE')}, 2, 0)`,
    value: sql`multiIf(current = 1, 'ACTIVE', current = 2, 'UNAVAILABLE', 'STOPPED')`,
  },
}

/** The current value of each key of a machine. */
export const currentStates: Entity = {
  name: 'CurrentState',
  description:
    'The current value of a key of a machine: of a key that the machine sends, or of status, inCycle or MasterExecution, which ' +
    'are derived from all paths of the machine',
  key: ['machineRef', 'metricKey', 'type', 'subtype'],
  order: ['machineRef', 'metricKey'],
  columns: {
    metricKey: column.text(sql`key`),
    value: column.text(sql`value`),
    startAt: changingWith(
      column.instant(
        sql`since_ms`,
        'Time since which the value is unchanged, at most 24 hours ago; for the category SAMPLE, time of the latest sample',
      ),
      'samples',
      'statuses',
      'documents',
    ),
    type: column.text(sql`type`),
    subtype: column.text(sql`subtype`),
    machineRef: column.int(sql`machine`),
  },
  relations: { machine: toOne('machines', ['machineRef', 'machineRef']) },
  reads: [...sourceReads('values'), { source: 'derived-states', keys: derivedKeys }],
  boundedBy: { text: 'metricKey', columns: ['machineRef'] },
  source: (scope, where, needed, bounds = unbounded) => {
    const mayInclude = (isDerived: boolean) =>
      bounds.texts?.some(key => derivedKeys.some(derivedKeyOf => derivedKeyOf === key) === isDerived) ?? true
    const states = [
      ...(mayInclude(false) ? [selectSentStates(scope, needed, bounds)] : []),
      ...(mayInclude(true) ? [selectDerivedStates(scope, needed, bounds)] : []),
    ]
    return fromSelect(
      states.length > 0 ? join(states, sql` UNION ALL `) : selectSentStates(scope, needed, bounds),
      where,
    )
  },
}
