import { exampleIds } from '../example-ids.ts'
import { Type } from 'typebox'
import {
  color,
  described,
  instant,
  int,
  integer,
  intId,
  list,
  localDate,
  longText,
  looseInstant,
  named,
  namedList,
  nullable,
  object,
  type Infer,
  oneOf,
  partial,
  text,
  uuid,
  withExamples,
} from '../types.ts'
import { direction } from './alarm-instances.ts'

/** Default and maximum number of downtime records per page; `max` is also the maximum that one request changes. */
export const recordLimits = { default: 200, max: 1000 } as const

/**
 * Maximum range of one request: `days` for up to `machines` machines; for more machines proportionally fewer days, but
 * at least `minDays`.
 */
export const recordRange = { days: 366, machines: 50, minDays: 31 } as const

/** Id of a downtime record: its machine and its start, UTC ms. */
const downtimeRecordId = Type.String({
  pattern: '^[0-9A-Fa-f-]{36}_[0-9]{1,15}$',
  description: 'Machine and start of the record; changes when late data or a split changes the start',
})

/** Parameters that choose downtime records. */
const recordsInRange = {
  machineId: list(text, { maxItems: 1000 }),
  reason: described(
    list(text, { maxItems: 1000 }),
    'Only records with one of these reasons: ids, `uncategorized`, `setup`',
  ),
  start: described(
    looseInstant,
    'Default: 24 hours before the end; at most 366 days before it for up to 50 machines, 31 days for 590 and more',
  ),
  end: described(looseInstant, 'Default: now'),
  startDay: described(localDate, 'First shop day, with `endDay` instead of `start` and `end`'),
  endDay: described(localDate, 'Last shop day, included'),
}

/** Query of `GET /downtime-records/microstops`. */
export const microstopsQuery = partial(recordsInRange)

/** Query of `GET /downtime-records`. */
export const downtimeRecordsQuery = partial({
  ...recordsInRange,
  minDurationMs: described(integer(0, 1e12), 'Only records with at least this duration in the range'),
  microstops: named(
    'ShownMicrostops',
    oneOf(['include', 'exclude', 'only'], {
      default: 'include',
      description: 'Whether records that are shorter than the microstop threshold of their machine are listed',
    }),
  ),
  orderBy: named(
    'DowntimeOrder',
    oneOf(['start', 'duration'], {
      default: 'start',
      description: '`duration`: by the time that lies in the range',
    }),
  ),
  direction: { ...direction, default: 'ASC' },
  limit: integer(1, recordLimits.max),
  after: described(text, 'Position after the previous page; the header `Link` contains the whole URL'),
})
export type DowntimeRecordsQuery = Infer<typeof downtimeRecordsQuery>

/** Response for a downtime record. */
export const downtimeRecordResponse = named(
  'DowntimeRecord',
  object({
    id: downtimeRecordId,
    machineId: uuid,
    startAt: instant,
    endAt: described(nullable(instant), 'null: ongoing'),
    durationMs: described(int, 'From start to end or until now, including time outside the range'),
    inRangeMs: described(int, 'Part of the duration in the range, as counted by the downtime report'),
    reasonId: described(text, 'Id of the reason, `uncategorized` or `setup`'),
    reason: text,
    reasonColor: nullable(color),
    annotationId: described(nullable(uuid), 'Annotation at the start of the record'),
    note: nullable(text),
  }),
)
export type DowntimeRecordResponse = Infer<typeof downtimeRecordResponse>
export const downtimeRecordList = namedList(downtimeRecordResponse)

/** Microstops of one machine in a range. */
export const microstopsResponse = named(
  'Microstops',
  object({
    machineId: uuid,
    microstopMs: described(int, 'Microstop threshold of the machine'),
    recordCount: int,
    inRangeMs: described(int, 'Downtime of the microstops in the range'),
  }),
)
export type MicrostopsResponse = Infer<typeof microstopsResponse>
export const microstopsList = namedList(microstopsResponse)

const someRecords = (minItems: number) => list(downtimeRecordId, { minItems, maxItems: recordLimits.max })
/** Downtime records that start at 12:00 and 12:30 UTC. */
const exampleRecords = [`${exampleIds.machine}_1772452800000`, `${exampleIds.machine}_1772454600000`] as const
const reasonOrNone = described(nullable(intId), 'null: removes the reason')

/** Body of `POST /downtime-records/categorize`. */
export const categorizeInput = named(
  'CategorizeInput',
  withExamples(object({ records: someRecords(1), reasonId: reasonOrNone, note: longText }, ['note']), {
    records: [exampleRecords[0]],
    reasonId: 10,
    note: 'Insert broke',
  }),
)

const part = named('DowntimePart', object({ reasonId: reasonOrNone, note: longText }, ['note']))

/** Body of `POST /downtime-records/split`. */
export const splitInput = named(
  'SplitInput',
  withExamples(object({ record: downtimeRecordId, at: looseInstant, before: part, after: part }, ['before', 'after']), {
    record: exampleRecords[0],
    at: '2026-03-02T12:30:00.000Z',
    after: { reasonId: 10 },
  }),
)

/** Body of `POST /downtime-records/merge`. */
export const mergeInput = named(
  'MergeInput',
  withExamples(object({ records: someRecords(2), reasonId: intId, note: longText }, ['reasonId', 'note']), {
    records: [...exampleRecords],
    reasonId: 10,
  }),
)
