import type { Column } from './entity.ts'
import { instant, instantOrNull, int, numeric, text, textOrNull } from './entity.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'

/** A root list that takes arguments of its own in place of filters. */
export interface FunctionField {
  readonly description: string
  /** Name of the type of its rows. */
  readonly type: string
  readonly typeDescription: string
  /** The fields of the argument `args`; only the types of these columns count. */
  readonly args: Readonly<Record<string, Column>>
  readonly fields: Readonly<Record<string, Column>>
}

const none = sql`NULL`
const window = { windowStartAt: instant(none), windowEndAt: instant(none) }

/** Functions by the names of their fields. */
export const functions = {
  samples: {
    description: 'The samples of a key of a machine in a range of time, as they were sent',
    type: 'Sample',
    typeDescription: 'A sample of a machine',
    args: { machineRef: int(none), metricKey: text(none), ...window },
    fields: {
      at: instant(none),
      value: text(none),
      type: text(none),
      subtype: text(none, 'Empty where it was sent without one'),
      category: textOrNull(none, 'SAMPLE, EVENT or CONDITION'),
      nativeCode: textOrNull(none),
      nativeSeverity: textOrNull(none),
      qualifier: textOrNull(none),
      message: textOrNull(none),
    },
  },
  quantities: {
    description: 'The numbers that a key of a machine said in a range of time',
    type: 'Quantity',
    typeDescription: 'A number that a machine said',
    args: { machineRef: int(none), metricKey: text(none), ...window },
    fields: { at: instant(none), value: numeric(none) },
  },
  stateIntervals: {
    description:
      'What a key of a machine said in a range of time, cut at its bounds; status, inCycle and MasterExecution are made of all its paths',
    type: 'StateInterval',
    typeDescription: 'Time in which a key of a machine kept its value',
    args: { machineRef: int(none), metricKey: text(none), ...window },
    fields: { startAt: instant(none), endAt: instantOrNull(none, 'null while it goes on'), value: text(none) },
  },
  alarmIntervals: {
    description: 'Alarms of a machine in a range of time, cut at its bounds',
    type: 'AlarmInterval',
    typeDescription: 'Time in which an alarm of a machine was active',
    args: { machineRef: int(none), metricKey: textOrNull(none, 'Left out: of all keys'), ...window },
    fields: {
      startAt: instant(none),
      endAt: instantOrNull(none, 'null while it is active'),
      nativeCode: text(none),
      state: text(none, 'WARNING or FAULT'),
      description: text(none),
      metricKey: text(none),
    },
  },
} as const satisfies Readonly<Record<string, FunctionField>>

export type FunctionName = keyof typeof functions
