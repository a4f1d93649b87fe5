import { Type } from 'typebox'
import * as t from '../types.ts'
import { alarmState } from './report.ts'

/** Maximum range of a timeline, in days. */
export const maxTimelineDays = 400

/** Default and maximum number of steps into which a range is divided if it has more changes than steps. */
export const pointLimits = { default: 500, max: 2000 } as const

const points = t.described(
  t.integer(10, pointLimits.max),
  `Number of steps into which the range is divided if it has more changes; default ${pointLimits.default}`,
)

/** Query of `GET /machines/:id/timeline`. */
export const timelineQuery = t.object({ start: t.looseInstant, end: t.looseInstant, points }, ['points'])
export type TimelineQuery = t.Infer<typeof timelineQuery>

const resolutionMs = t.described(
  t.int,
  '0: every change is listed; otherwise the length of a step, for which each value has its total duration',
)

const interval = t.named(
  'TimelinePiece',
  t.object({
    id: t.described(t.text, 'A status, or a key of `entities`'),
    startAt: t.instant,
    endAt: t.instant,
    durationMs: t.described(t.int, 'Less than the length of the step if intervals share it'),
  }),
)
export type TimelineInterval = t.Infer<typeof interval>

const alarm = t.named(
  'TimelineAlarm',
  t.object({
    state: alarmState,
    startAt: t.instant,
    endAt: t.described(t.nullable(t.instant), 'null: the alarm continues after the range, or is still active'),
    count: t.described(t.int, 'Number of combined instances'),
    nativeCode: t.nullable(t.text),
    message: t.nullable(t.text),
  }),
)
export type TimelineAlarm = t.Infer<typeof alarm>

const shift = t.idAndName
const job = t.named(
  'TimelineJob',
  t.object({
    id: t.text,
    jobName: t.text,
    lotName: t.text,
    operationName: t.text,
    partName: t.text,
    isSetup: t.described(t.bool, 'The run is in setup'),
  }),
)
const reason = t.named('TimelineReason', t.object({ id: t.text, name: t.text, color: t.nullable(t.color) }))

/** Response of `GET /machines/:id/timeline`. */
export const machineTimeline = t.named(
  'MachineTimeline',
  t.object({
    machineId: t.uuid,
    range: t.named('TimelineRange', t.object({ start: t.instant, end: t.instant }), 'Ends now at the latest'),
    resolutionMs,
    states: t.described(t.list(interval), 'Intervals by status'),
    shifts: t.list(interval),
    jobs: t.list(interval),
    operators: t.list(interval),
    downtime: t.list(interval),
    alarms: t.list(alarm),
    entities: t.named(
      'TimelineEntities',
      t.object({
        shift: t.recordOf(shift),
        job: t.recordOf(job),
        operator: t.described(t.recordOf(t.idAndName), 'Operators who are signed in at the same time are one entity'),
        reason: t.recordOf(reason),
      }),
    ),
  }),
)
export type MachineTimeline = t.Infer<typeof machineTimeline>

/** Query of `GET /machines/:id/metric-values`. */
export const metricValuesQuery = t.object(
  {
    key: t.shortText,
    type: t.described(t.shortText, 'Default: type of the metric with this key that has the latest sample'),
    subtype: t.described(Type.String({ maxLength: 256 }), 'Default: as for `type`; may be empty'),
    start: t.looseInstant,
    end: t.looseInstant,
    points,
  },
  ['type', 'subtype', 'points'],
)
export type MetricValuesQuery = t.Infer<typeof metricValuesQuery>

/** Response of `GET /machines/:id/metric-values`. */
export const metricValues = t.named(
  'MetricValues',
  t.object({
    machineId: t.uuid,
    key: t.text,
    type: t.text,
    subtype: t.text,
    resolutionMs: t.described(t.int, 'Length of a step; samples of one step are combined'),
    values: t.list(
      t.named(
        'MetricValue',
        t.object({
          at: t.described(t.instant, 'Time of its first sample'),
          mean: t.number,
          least: t.number,
          greatest: t.number,
          samples: t.int,
        }),
      ),
    ),
  }),
)
export type MetricValues = t.Infer<typeof metricValues>

/** Response of `GET /machines/:id/metrics`. */
export const machineMetrics = t.named(
  'MachineMetrics',
  t.object({
    metrics: t.list(
      t.named(
        'MachineMetric',
        t.object({
          key: t.text,
          type: t.text,
          subtype: t.text,
          category: t.text,
          value: t.described(t.text, 'Latest value'),
          at: t.instant,
        }),
      ),
    ),
  }),
)
export type MachineMetrics = t.Infer<typeof machineMetrics>
