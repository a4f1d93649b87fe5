import * as t from '../types.ts'
import { alarmFilters } from './record-reports.ts'
import { alarmState as state, fileFormat, reportFile, reportWarnings } from './report.ts'

export const directions = ['ASC', 'DESC'] as const
/**
 * Orders of alarm instances. `start`: by (start, alarmId). `id`: by alarmId, in which instances found late come last.
 */
export const orders = ['start', 'id'] as const

/** Maximum and default number of alarm instances per page. */
export const maxAlarmInstances = 200

const limit = t.integer(1, maxAlarmInstances)
export const direction = t.named('Direction', t.oneOf(directions))

/**
 * Body of `POST /reports/alarm/instances`. Used only in the OpenAPI document: the report parses the body and lists
 * every field error.
 */
export const alarmInstancesInput = t.named(
  'AlarmInstancesInput',
  t.unsafe<unknown>({
    ...t.jsonOf(
      t.partial(
        t.nullableProperties({
          start: {
            ...t.looseInstant,
            description: 'ASC: instances that start at or after this instant; DESC: before it',
          },
          startId: t.described(
            t.int32Number,
            'ASC: instances after the one with this alarmId; DESC: before it; in the order of `orderBy`. With `orderBy: start`, an unknown id is rejected with 400.',
          ),
          orderBy: t.named(
            'AlarmOrder',
            t.oneOf(orders, {
              default: 'start',
              description:
                '`start`: by start, then alarmId. `id`: by alarmId, with `startId` (0: from the first); a client that continues from its last id receives every instance, also late ones.',
            }),
          ),
          limit: { ...limit, default: maxAlarmInstances },
          direction: { ...direction, default: 'ASC' },
          csv: { ...t.bool, description: 'Also export the page to a file; the response contains `csv`' },
          format: fileFormat,
          filter: t.described(alarmFilters, 'Includes only instances that have, for every key, one of its values'),
          reject: t.described(
            alarmFilters,
            'Excludes instances that have one of the values; takes precedence over `filter`',
          ),
        }),
      ),
    ),
    examples: [{ start: '2026-03-02T00:00:00.000Z', limit: 50, filter: { state: ['FAULT'] } }],
  }),
  'Accepts either `start` or `startId`',
)

/**
 * One alarm instance in a response or in a row of a file. `end` null: the instance is active, and `durationMs` is its
 * duration until now.
 */
const alarmInstanceRow = t.named(
  'AlarmInstance',
  t.object({
    alarmId: t.int32Number,
    durationMs: t.int,
    state,
    machineId: t.text,
    nativeCode: t.text,
    message: t.text,
    start: t.instant,
    end: t.nullable(t.instant),
  }),
)
export type AlarmInstanceRow = t.Infer<typeof alarmInstanceRow>

/**
 * Response of `POST /reports/alarm/instances`. `range.end` is present only with a file: the page contains no instance
 * after it.
 */
export const alarmInstancesResponse = t.named(
  'AlarmInstances',
  t.object(
    {
      entities: t.named(
        'AlarmInstanceEntities',
        t.object({ machine: t.named('MachinesById', t.recordOf(t.idAndName)) }),
      ),
      range: t.named(
        'AlarmInstancesRange',
        t.object(
          { start: t.nullable(t.instant), limit, direction, startId: t.nullable(t.int32Number), end: t.instant },
          ['end'],
        ),
      ),
      csv: reportFile,
      instances: t.list(alarmInstanceRow),
      warnings: reportWarnings,
    },
    ['csv', 'warnings'],
  ),
)
export type AlarmInstancesResponse = t.Infer<typeof alarmInstancesResponse>
