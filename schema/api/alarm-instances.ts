import { alarmStates } from '../groupings.ts'
import {
  bool,
  instant,
  int,
  type JsonSchema,
  list,
  looseInstant,
  nullable,
  object,
  partial,
  schema,
  text,
} from './json-schema.ts'
import { conditions } from './report.ts'

export const directions = ['ASC', 'DESC'] as const
/** `start`: by (start, alarmId); `id`: by alarmId, which late instances get last. */
export const orders = ['start', 'id'] as const

/** Of one page of alarm instances; also how many there are unless fewer are asked for. */
export const maxAlarmInstances = 200

/** One alarm instance as answered, and as a row of a file. Instants are ISO texts. */
export interface AlarmInstanceRow {
  readonly alarmId: number
  /** Up to now while it is active. */
  readonly durationMs: number
  readonly state: (typeof alarmStates)[number]
  readonly machineId: string
  readonly nativeCode: string
  readonly message: string
  readonly start: string
  /** null: it is active. */
  readonly end: string | null
}

/** The answer to `POST /reports/alarm/instances`. */
export interface AlarmInstancesAnswer {
  readonly entities: { readonly machine: Readonly<Record<string, { readonly id: string; readonly name: string }>> }
  readonly range: {
    readonly start: string | null
    readonly limit: number
    readonly direction: (typeof directions)[number]
    readonly startId: number | null
    /** With a file only: nothing after it is in the page. */
    readonly end?: string
  }
  /** Where the page is kept as a file, if it was wanted so. */
  readonly csv?: { readonly url: string; readonly expires: string }
  readonly instances: readonly AlarmInstanceRow[]
}

const state = { type: 'string', enum: alarmStates } as const
const int32 = { ...int, minimum: -2_147_483_648, maximum: 2_147_483_647 } as const
const limit = { ...int, minimum: 1, maximum: maxAlarmInstances } as const
const direction = { type: 'string', enum: directions } as const

/** Body of `POST /reports/alarm/instances`. Shown in the docs only: the body is parsed by the report, which lists every fault. */
export const alarmInstancesInput: JsonSchema = {
  ...partial({
    start: { ...looseInstant, description: 'ASC: instances that start at or after it; DESC: before it' },
    startId: {
      ...int32,
      description:
        'ASC: instances after that with this alarmId; DESC: before it; in the order of `orderBy`. By `start` an id that no alarm ever had is 400.',
    },
    orderBy: {
      type: 'string',
      enum: orders,
      default: 'start',
      description:
        '`start`: by start, then alarmId. `id`: by alarmId, with `startId` (0: from the first); who keeps the last id misses none, late ones included.',
    },
    limit: { ...limit, default: maxAlarmInstances },
    direction: { ...direction, default: 'ASC' },
    csv: { ...bool, description: 'Also keep the page as a file: the answer has `csv`' },
    format: {
      type: 'string',
      enum: ['csv', 'parquet'],
      default: 'csv',
      description: 'Of the file; `parquet` means a file also without `csv`',
    },
    filter: { ...conditions('alarm'), description: 'Only instances that have one of the values of every key' },
    reject: { ...conditions('alarm'), description: 'No instance that has one of the values; stronger than filter' },
  }),
  oneOf: [{ required: ['start'] }, { required: ['startId'] }],
  examples: [{ start: '2026-03-02T00:00:00.000Z', limit: 50, filter: { state: ['FAULT'] } }],
}

export const alarmInstancesAnswer = schema<AlarmInstancesAnswer>(
  object(
    {
      entities: object({ machine: { type: 'object', additionalProperties: object({ id: text, name: text }) } }),
      range: object({ start: nullable(instant), limit, direction, startId: nullable(int32), end: instant }, ['end']),
      csv: object({ url: text, expires: instant }),
      instances: list(
        object({
          alarmId: int32,
          durationMs: int,
          state,
          machineId: text,
          nativeCode: text,
          message: text,
          start: instant,
          end: nullable(instant),
        }),
      ),
    },
    ['csv'],
  ),
)
