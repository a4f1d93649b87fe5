import { exampleIds } from '../example-ids.ts'
import { Type } from 'typebox'
import * as t from '../types.ts'
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
  machineId: t.list(t.text, { maxItems: 1000 }),
  reason: t.described(
    t.list(t.text, { maxItems: 1000 }),
    'Only records with one of these reasons: ids, `uncategorized`, `setup`',
  ),
  start: t.described(
    t.looseInstant,
    'Default: 24 hours before the end; at most 366 days before it for up to 50 machines, 31 days for 590 and more',
  ),
  end: t.described(t.looseInstant, 'Default: now'),
  startDay: t.described(t.localDate, 'First shop day, with `endDay` instead of `start` and `end`'),
  endDay: t.described(t.localDate, 'Last shop day, included'),
}

/** Query of `GET /downtime-records/microstops`. */
export const microstopsQuery = t.partial(recordsInRange)

/** Query of `GET /downtime-records`. */
export const downtimeRecordsQuery = t.partial({
  ...recordsInRange,
  minDurationMs: t.described(t.integer(0, 1e12), 'Only records with at least this duration in the range'),
  microstops: t.named(
    'ShownMicrostops',
    t.oneOf(['include', 'exclude', 'only'], {
      default: 'include',
      description: 'Whether records that are shorter than the microstop threshold of their machine are listed',
    }),
  ),
  orderBy: t.named(
    'DowntimeOrder',
    t.oneOf(['start', 'duration'], {
      default: 'start',
      description: '`duration`: by the time that lies in the range',
    }),
  ),
  direction: { ...direction, default: 'ASC' },
  limit: t.integer(1, recordLimits.max),
  after: t.described(t.text, 'Position after the previous page; the header `Link` contains the whole URL'),
})
export type DowntimeRecordsQuery = t.Infer<typeof downtimeRecordsQuery>

/** Response for a downtime record. */
export const downtimeRecordResponse = t.named(
  'DowntimeRecord',
  t.object({
    id: downtimeRecordId,
    machineId: t.uuid,
    startAt: t.instant,
    endAt: t.described(t.nullable(t.instant), 'null: ongoing'),
    durationMs: t.described(t.int, 'From start to end or until now, including time outside the range'),
    inRangeMs: t.described(t.int, 'Part of the duration in the range, as counted by the downtime report'),
    reasonId: t.described(t.text, 'Id of the reason, `uncategorized` or `setup`'),
    reason: t.text,
    reasonColor: t.nullable(t.color),
    annotationId: t.described(t.nullable(t.uuid), 'Annotation at the start of the record'),
    note: t.nullable(t.text),
  }),
)
export type DowntimeRecordResponse = t.Infer<typeof downtimeRecordResponse>
export const downtimeRecordList = t.namedList(downtimeRecordResponse)

/** Microstops of one machine in a range. */
export const microstopsResponse = t.named(
  'Microstops',
  t.object({
    machineId: t.uuid,
    microstopMs: t.described(t.int, 'Microstop threshold of the machine'),
    recordCount: t.int,
    inRangeMs: t.described(t.int, 'Downtime of the microstops in the range'),
  }),
)
export type MicrostopsResponse = t.Infer<typeof microstopsResponse>
export const microstopsList = t.namedList(microstopsResponse)

const someRecords = (minItems: number) => t.list(downtimeRecordId, { minItems, maxItems: recordLimits.max })
/** Downtime records that start at 12:00 and 12:30 UTC. */
const exampleRecords = [`${exampleIds.machine}_1772452800000`, `${exampleIds.machine}_1772454600000`] as const
const reasonOrNone = t.described(t.nullable(t.intId), 'null: removes the reason')

/** Body of `POST /downtime-records/categorize`. */
export const categorizeInput = t.named(
  'CategorizeInput',
  t.withExamples(t.object({ records: someRecords(1), reasonId: reasonOrNone, note: t.longText }, ['note']), {
    records: [exampleRecords[0]],
    reasonId: 10,
    note: 'Insert broke',
  }),
)

const part = t.named('DowntimePart', t.object({ reasonId: reasonOrNone, note: t.longText }, ['note']))

/** Body of `POST /downtime-records/split`. */
export const splitInput = t.named(
  'SplitInput',
  t.withExamples(
    t.object({ record: downtimeRecordId, at: t.looseInstant, before: part, after: part }, ['before', 'after']),
    {
      record: exampleRecords[0],
      at: '2026-03-02T12:30:00.000Z',
      after: { reasonId: 10 },
    },
  ),
)

/** Body of `POST /downtime-records/merge`. */
export const mergeInput = t.named(
  'MergeInput',
  t.withExamples(t.object({ records: someRecords(2), reasonId: t.intId, note: t.longText }, ['reasonId', 'note']), {
    records: [...exampleRecords],
    reasonId: 10,
  }),
)
