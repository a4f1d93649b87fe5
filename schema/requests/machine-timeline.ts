import { Type } from 'typebox'
import {
  bool,
  color,
  described,
  idAndName,
  instant,
  int,
  integer,
  list,
  looseInstant,
  named,
  nullable,
  number,
  object,
  type Infer,
  recordOf,
  shortText,
  text,
  uuid,
} from '../types.ts'
import { alarmState } from './report.ts'

/** Maximum range of a timeline, in days. */
export const maxTimelineDays = 400

/** Default and maximum number of steps into which a range is divided if it has more changes than steps. */
export const pointLimits = { default: 500, max: 2000 } as const

const points = described(
  integer(10, pointLimits.max),
  `Number of steps into which the range is divided if it has more changes; default ${pointLimits.default}`,
)

/** Query of `GET /machines/:id/timeline`. */
export const timelineQuery = object({ start: looseInstant, end: looseInstant, points }, ['points'])
export type TimelineQuery = Infer<typeof timelineQuery>

const resolutionMs = described(
  int,
  '0: every change is listed; otherwise the length of a step, for which each value has its total duration',
)

const interval = named(
  'TimelinePiece',
  object({
    id: described(text, 'A status, or a key of `entities`'),
    startAt: instant,
    endAt: instant,
    durationMs: described(int, 'Less than the length of the step if intervals share it'),
  }),
)
export type TimelineInterval = Infer<typeof interval>

const alarm = named(
  'TimelineAlarm',
  object({
    state: alarmState,
    startAt: instant,
    endAt: described(nullable(instant), 'null: the alarm continues after the range, or is still active'),
    count: described(int, 'Number of combined instances'),
    nativeCode: nullable(text),
    message: nullable(text),
  }),
)
export type TimelineAlarm = Infer<typeof alarm>

const shift = idAndName
const job = named(
  'TimelineJob',
  object({
    id: text,
    jobName: text,
    lotName: text,
    operationName: text,
    partName: text,
    isSetup: described(bool, 'The run is in setup'),
  }),
)
const reason = named('TimelineReason', object({ id: text, name: text, color: nullable(color) }))

/** Response of `GET /machines/:id/timeline`. */
export const machineTimeline = named(
  'MachineTimeline',
  object({
    machineId: uuid,
    range: named('TimelineRange', object({ start: instant, end: instant }), 'Ends now at the latest'),
    resolutionMs,
    states: described(list(interval), 'Intervals by status'),
    shifts: list(interval),
    jobs: list(interval),
    operators: list(interval),
    downtime: list(interval),
    alarms: list(alarm),
    entities: named(
      'TimelineEntities',
      object({
        shift: recordOf(shift),
        job: recordOf(job),
        operator: described(recordOf(idAndName), 'Operators who are signed in at the same time are one entity'),
        reason: recordOf(reason),
      }),
    ),
  }),
)
export type MachineTimeline = Infer<typeof machineTimeline>

/** Query of `GET /machines/:id/metric-values`. */
export const metricValuesQuery = object(
  {
    key: shortText,
    type: described(shortText, 'Default: type of the metric with this key that has the latest sample'),
    subtype: described(Type.String({ maxLength: 256 }), 'Default: as for `type`; may be empty'),
    start: looseInstant,
    end: looseInstant,
    points,
  },
  ['type', 'subtype', 'points'],
)
export type MetricValuesQuery = Infer<typeof metricValuesQuery>

/** Response of `GET /machines/:id/metric-values`. */
export const metricValues = named(
  'MetricValues',
  object({
    machineId: uuid,
    key: text,
    type: text,
    subtype: text,
    resolutionMs: described(int, 'Length of a step; samples of one step are combined'),
    values: list(
      named(
        'MetricValue',
        object({
          at: described(instant, 'Time of its first sample'),
          mean: number,
          least: number,
          greatest: number,
          samples: int,
        }),
      ),
    ),
  }),
)
export type MetricValues = Infer<typeof metricValues>

/** Response of `GET /machines/:id/metrics`. */
export const machineMetrics = named(
  'MachineMetrics',
  object({
    metrics: list(
      named(
        'MachineMetric',
        object({
          key: text,
          type: text,
          subtype: text,
          category: text,
          value: described(text, 'Latest value'),
          at: instant,
        }),
      ),
    ),
  }),
)
export type MachineMetrics = Infer<typeof machineMetrics>
