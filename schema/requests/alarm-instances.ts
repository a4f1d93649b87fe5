import {
  bool,
  described,
  given,
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
  type Of,
  oneOf,
  partial,
  recordOf,
  text,
  unsafe,
} from '../types.ts'
import { alarmConditions } from './record-reports.ts'
import { alarmState as state, fileFormat, reportFile, reportWarnings } from './report.ts'

export const directions = ['ASC', 'DESC'] as const
/** Orders of alarm instances. `start`: by (start, alarmId); `id`: by alarmId, where late instances come last. */
export const orders = ['start', 'id'] as const

/** Most alarm instances of one page, and their number where the request names none. */
export const maxAlarmInstances = 200

const limit = integer(1, maxAlarmInstances)
export const direction = named('Direction', oneOf(directions))

/** Body of `POST /reports/alarm/instances`. Shown in the docs only: the body is parsed by the report, which lists every fault. */
export const alarmInstancesInput = named(
  'AlarmInstancesInput',
  unsafe<unknown>({
    ...jsonOf(
      partial(
        given({
          start: { ...looseInstant, description: 'ASC: instances that start at or after it; DESC: before it' },
          startId: described(
            int32Number,
            'ASC: instances after that with this alarmId; DESC: before it; in the order of `orderBy`. By `start` an id that no alarm ever had is 400.',
          ),
          orderBy: named(
            'AlarmOrder',
            oneOf(orders, {
              default: 'start',
              description:
                '`start`: by start, then alarmId. `id`: by alarmId, with `startId` (0: from the first); who keeps the last id misses none, late ones included.',
            }),
          ),
          limit: { ...limit, default: maxAlarmInstances },
          direction: { ...direction, default: 'ASC' },
          csv: { ...bool, description: 'Also keep the page as a file: the answer has `csv`' },
          format: fileFormat,
          filter: described(alarmConditions, 'Only instances that have one of the values of every key'),
          reject: described(alarmConditions, 'No instance that has one of the values; stronger than filter'),
        }),
      ),
    ),
    examples: [{ start: '2026-03-02T00:00:00.000Z', limit: 50, filter: { state: ['FAULT'] } }],
  }),
  'Takes either `start` or `startId`',
)

/** One alarm instance as answered, and as a row of a file. `end` null: it is active; then `durationMs` is up to now. */
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
export type AlarmInstanceRow = Of<typeof alarmInstanceRow>

/** The answer to `POST /reports/alarm/instances`. `range.end`: only with a file; the page has nothing after it. */
export const alarmInstancesAnswer = named(
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
export type AlarmInstancesAnswer = Of<typeof alarmInstancesAnswer>
