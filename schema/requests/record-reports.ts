import { eventMetrics } from '../event-metrics.ts'
import * as t from '../types.ts'
import { filtersOf, reportResponse, reportInput } from './report.ts'

const aDay = { startDay: '2026-03-02', endDay: '2026-03-02' }
const count = t.integer(0, Number.MAX_SAFE_INTEGER)

/** Body of `POST /reports/downtime`. */
export const downtimeReportInput = reportInput(
  'downtime',
  {},
  { ...aDay, groupBy: [{ group: 'reason' }], filter: { reason: ['uncategorized'] } },
)

export const downtimeReportResponse = reportResponse('downtime', t.object({ downtimeMs: count, recordCount: count }))

/** Body of `POST /reports/quality`. */
export const qualityReportInput = reportInput('quality', {}, { ...aDay, groupBy: [{ group: 'reason' }] })

export const qualityReportResponse = reportResponse('quality', t.object({ rejectCount: t.number, recordCount: count }))

/** Body of `POST /reports/incident`. */
export const incidentReportInput = reportInput(
  'incident',
  {},
  { ...aDay, groupBy: [{ group: 'rule' }], filter: { acknowledgedBy: ['none'] } },
)

const percentile = t.described(t.nullable(count), 'null: the group has no such incident')

export const incidentReportResponse = reportResponse(
  'incident',
  t.object({
    recordCount: count,
    openMs: count,
    timeToAcknowledgeMs: count,
    timeToAcknowledgeMsP50: percentile,
    timeToAcknowledgeMsP90: percentile,
    timeToResolveMs: count,
    timeToResolveMsP50: percentile,
    timeToResolveMsP90: percentile,
    unacknowledgedCount: count,
    unresolvedCount: count,
    escalatedCount: count,
  }),
)

/** Filters by properties of alarms. */
export const alarmFilters = filtersOf('alarm')

/** Body of `POST /reports/alarm`. */
export const alarmReportInput = reportInput(
  'alarm',
  {
    metrics: Object.keys(eventMetrics.alarm),
    conditions: alarmFilters,
    more: {
      reject: t.described(alarmFilters, 'Excludes alarms that have one of the values; takes precedence over `filter`'),
    },
  },
  {
    ...aDay,
    data: [{ metric: 'durationMs' }, { metric: 'recordCount' }],
    groupBy: [{ group: 'nativeCode' }],
    reject: { state: ['WARNING'] },
  },
)

export const alarmReportResponse = reportResponse(
  'alarm',
  t.described(
    t.partial({
      durationMs: count,
      minStartTime: t.nullable(t.instant),
      maxEndTime: t.nullable(t.instant),
      recordCount: count,
      machineCount: count,
    }),
    'A value for every requested metric; null if there is none.',
  ),
)
