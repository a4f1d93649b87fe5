import { type Column, column } from './entity.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'

/** A root field that returns rows of a machine's key in a time range, with arguments instead of filters. */
export interface FunctionField {
  readonly description: string
  readonly type: string
  readonly typeDescription: string
  /** Fields of the argument `args`; only the types and descriptions of these columns are used. */
  readonly args: Readonly<Record<string, Column>>
  readonly fields: Readonly<Record<string, Column>>
}

const none = sql`NULL`
const window = { windowStartAt: column.instant(none), windowEndAt: column.instant(none) }

/** The functions by the name of their root field. */
export const functions = {
  samples: {
    description: 'The samples of a key of a machine in a time range, as the machine sent them',
    type: 'Sample',
    typeDescription: 'A sample of a machine',
    args: { machineRef: column.int(none), metricKey: column.text(none), ...window },
    fields: {
      at: column.instant(none),
      value: column.text(none),
      type: column.text(none),
      subtype: column.text(none, 'Empty if the sample has no subtype'),
      category: column.textOrNull(none, 'SAMPLE, EVENT or CONDITION'),
      nativeCode: column.textOrNull(none),
      nativeSeverity: column.textOrNull(none),
      qualifier: column.textOrNull(none),
      message: column.textOrNull(none),
    },
  },
  quantities: {
    description: 'The numeric values of a key of a machine in a time range',
    type: 'Quantity',
    typeDescription: 'A numeric value of a machine',
    args: { machineRef: column.int(none), metricKey: column.text(none), ...window },
    fields: { at: column.instant(none), value: column.numeric(none) },
  },
  stateIntervals: {
    description:
      'The values of a key of a machine as intervals, cut at the limits of the time range; status, inCycle and MasterExecution are derived from all paths of the machine',
    type: 'StateInterval',
    typeDescription: 'Interval in which the value of a key of a machine is unchanged',
    args: { machineRef: column.int(none), metricKey: column.text(none), ...window },
    fields: {
      startAt: column.instant(none),
      endAt: column.instantOrNull(none, 'null while the interval is ongoing'),
      value: column.text(none),
    },
  },
  alarmIntervals: {
    description: 'Alarms of a machine as intervals, cut at the limits of the time range',
    type: 'AlarmInterval',
    typeDescription: 'Interval in which an alarm of a machine was active',
    args: { machineRef: column.int(none), metricKey: column.textOrNull(none, 'Default: all keys'), ...window },
    fields: {
      startAt: column.instant(none),
      endAt: column.instantOrNull(none, 'null while the alarm is active'),
      nativeCode: column.text(none),
      state: column.text(none, 'WARNING or FAULT'),
      description: column.text(none),
      metricKey: column.text(none),
    },
  },
} as const satisfies Readonly<Record<string, FunctionField>>

export type FunctionName = keyof typeof functions
