import type { Column } from './entity.ts'
import { instantColumn, instantColumnOrNull, intColumn, numericColumn, textColumn, textColumnOrNull } from './entity.ts'
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
const window = { windowStartAt: instantColumn(none), windowEndAt: instantColumn(none) }

/** The functions by the name of their root field. */
export const functions = {
  samples: {
    description: 'The samples of a key of a machine in a time range, as the machine sent them',
    type: 'Sample',
    typeDescription: 'A sample of a machine',
    args: { machineRef: intColumn(none), metricKey: textColumn(none), ...window },
    fields: {
      at: instantColumn(none),
      value: textColumn(none),
      type: textColumn(none),
      subtype: textColumn(none, 'Empty if the sample has no subtype'),
      category: textColumnOrNull(none, 'SAMPLE, EVENT or CONDITION'),
      nativeCode: textColumnOrNull(none),
      nativeSeverity: textColumnOrNull(none),
      qualifier: textColumnOrNull(none),
      message: textColumnOrNull(none),
    },
  },
  quantities: {
    description: 'The numeric values of a key of a machine in a time range',
    type: 'Quantity',
    typeDescription: 'A numeric value of a machine',
    args: { machineRef: intColumn(none), metricKey: textColumn(none), ...window },
    fields: { at: instantColumn(none), value: numericColumn(none) },
  },
  stateIntervals: {
    description:
      'The values of a key of a machine as intervals, cut at the limits of the time range; status, inCycle and MasterExecution are derived from all paths of the machine',
    type: 'StateInterval',
    typeDescription: 'Interval in which the value of a key of a machine is unchanged',
    args: { machineRef: intColumn(none), metricKey: textColumn(none), ...window },
    fields: {
      startAt: instantColumn(none),
      endAt: instantColumnOrNull(none, 'null while the interval is ongoing'),
      value: textColumn(none),
    },
  },
  alarmIntervals: {
    description: 'Alarms of a machine as intervals, cut at the limits of the time range',
    type: 'AlarmInterval',
    typeDescription: 'Interval in which an alarm of a machine was active',
    args: { machineRef: intColumn(none), metricKey: textColumnOrNull(none, 'Default: all keys'), ...window },
    fields: {
      startAt: instantColumn(none),
      endAt: instantColumnOrNull(none, 'null while the alarm is active'),
      nativeCode: textColumn(none),
      state: textColumn(none, 'WARNING or FAULT'),
      description: textColumn(none),
      metricKey: textColumn(none),
    },
  },
} as const satisfies Readonly<Record<string, FunctionField>>

export type FunctionName = keyof typeof functions
