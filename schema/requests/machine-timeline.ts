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
  type Of,
  recordOf,
  shortText,
  text,
  uuid,
} from '../types.ts'
import { alarmState } from './report.ts'

/** Longest range of a timeline, in days. */
export const mostTimelineDays = 400

/** Default and maximum number of steps into which a range with more changes is divided. */
export const pointLimits = { usual: 500, most: 2000 } as const

const points = described(
  integer(10, pointLimits.most),
  `Steps into which the range is divided where more happened in it; ${pointLimits.usual} unless given`,
)

/** Query of `GET /machines/:id/timeline`. */
export const timelineQuery = object({ start: looseInstant, end: looseInstant, points }, ['points'])
export type TimelineQuery = Of<typeof timelineQuery>

const resolutionMs = described(int, '0: every change is listed; otherwise the length of a step, which contains shares')

const piece = named(
  'TimelinePiece',
  object({
    id: described(text, 'What it stands for: a status, or a key of `entities`'),
    startAt: instant,
    endAt: instant,
    durationMs: described(int, 'Less than the length of the step if intervals share it'),
  }),
)
export type TimelinePiece = Of<typeof piece>

const alarm = named(
  'TimelineAlarm',
  object({
    state: alarmState,
    startAt: instant,
    endAt: described(nullable(instant), 'null: it continues after the range, or is active if the range ends now'),
    count: described(int, 'Number of combined instances'),
    nativeCode: nullable(text),
    message: nullable(text),
  }),
)
export type TimelineAlarm = Of<typeof alarm>

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

/** Answer of `GET /machines/:id/timeline`. */
export const machineTimeline = named(
  'MachineTimeline',
  object({
    machineId: uuid,
    range: named('TimelineRange', object({ start: instant, end: instant }), 'Ends now at the latest'),
    resolutionMs,
    states: described(list(piece), 'By status'),
    shifts: list(piece),
    jobs: list(piece),
    operators: list(piece),
    downtime: list(piece),
    alarms: list(alarm),
    entities: named(
      'TimelineEntities',
      object({
        shift: recordOf(shift),
        job: recordOf(job),
        operator: described(recordOf(idAndName), 'Several who are signed in at once are one'),
        reason: recordOf(reason),
      }),
    ),
  }),
)
export type MachineTimeline = Of<typeof machineTimeline>

/** Query of `GET /machines/:id/metric-values`. */
export const metricValuesQuery = object(
  {
    key: shortText,
    type: described(shortText, 'Of the metrics with this key, the one that came last unless given'),
    subtype: described(Type.String({ maxLength: 256 }), 'As type; may be empty'),
    start: looseInstant,
    end: looseInstant,
    points,
  },
  ['type', 'subtype', 'points'],
)
export type MetricValuesQuery = Of<typeof metricValuesQuery>

/** Answer of `GET /machines/:id/metric-values`. */
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
export type MetricValues = Of<typeof metricValues>

/** Answer of `GET /machines/:id/metrics`. */
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
          value: described(text, 'The latest one'),
          at: instant,
        }),
      ),
    ),
  }),
)
export type MachineMetrics = Of<typeof machineMetrics>
