import {
  bool,
  described,
  nullableProperties,
  idAndName,
  instant,
  int,
  int32Number,
  integer,
  jsonOf,
  list,
  looseInstant,
  named,
  nullable,
  object,
  type Infer,
  oneOf,
  partial,
  recordOf,
  text,
  unsafe,
} from '../types.ts'
import { alarmFilters } from './record-reports.ts'
import { alarmState as state, fileFormat, reportFile, reportWarnings } from './report.ts'

export const directions = ['ASC', 'DESC'] as const
/**
 * Orders of alarm instances. `start`: by (start, alarmId). `id`: by alarmId, in which instances found late come last.
 */
export const orders = ['start', 'id'] as const

/** Maximum and default number of alarm instances per page. */
export const maxAlarmInstances = 200

const limit = integer(1, maxAlarmInstances)
export const direction = named('Direction', oneOf(directions))

/**
 * Body of `POST /reports/alarm/instances`. Used only in the OpenAPI document: the report parses the body and lists
 * every field error.
 */
export const alarmInstancesInput = named(
  'AlarmInstancesInput',
  unsafe<unknown>({
    ...jsonOf(
      partial(
        nullableProperties({
          start: {
            ...looseInstant,
            description: 'ASC: instances that start at or after this instant; DESC: before it',
          },
          startId: described(
            int32Number,
            'ASC: instances after the one with this alarmId; DESC: before it; in the order of `orderBy`. With `orderBy: start`, an unknown id is rejected with 400.',
          ),
          orderBy: named(
            'AlarmOrder',
            oneOf(orders, {
              default: 'start',
              description:
                '`start`: by start, then alarmId. `id`: by alarmId, with `startId` (0: from the first); a client that continues from its last id receives every instance, also late ones.',
            }),
          ),
          limit: { ...limit, default: maxAlarmInstances },
          direction: { ...direction, default: 'ASC' },
          csv: { ...bool, description: 'Also export the page to a file; the response contains `csv`' },
          format: fileFormat,
          filter: described(alarmFilters, 'Includes only instances that have, for every key, one of its values'),
          reject: described(
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
const alarmInstanceRow = named(
  'AlarmInstance',
  object({
    alarmId: int32Number,
    durationMs: int,
    state,
    machineId: text,
    nativeCode: text,
    message: text,
    start: instant,
    end: nullable(instant),
  }),
)
export type AlarmInstanceRow = Infer<typeof alarmInstanceRow>

/**
 * Response of `POST /reports/alarm/instances`. `range.end` is present only with a file: the page contains no instance
 * after it.
 */
export const alarmInstancesResponse = named(
  'AlarmInstances',
  object(
    {
      entities: named('AlarmInstanceEntities', object({ machine: named('MachinesById', recordOf(idAndName)) })),
      range: named(
        'AlarmInstancesRange',
        object({ start: nullable(instant), limit, direction, startId: nullable(int32Number), end: instant }, ['end']),
      ),
      csv: reportFile,
      instances: list(alarmInstanceRow),
      warnings: reportWarnings,
    },
    ['csv', 'warnings'],
  ),
)
export type AlarmInstancesResponse = Infer<typeof alarmInstancesResponse>
