/** Metric of a group in a report of events (downtime, rejects, alarms). */
export interface EventMetric {
  readonly unit: 'ms' | 'parts' | 'records' | 'machines' | 'instant'
  /** Sum that the metric returns. */
  readonly sum: EventSum
  readonly title: string
  readonly meaning: string
}

/**
 * Sums that a report of events computes per group: `amount` (ms or parts), numbers of distinct records and machines,
 * and the first and last instant, UTC ms.
 */
export type EventSum = 'amount' | 'records' | 'machines' | 'firstMs' | 'lastMs'

/**
 * Metrics by report, in the order of the response. The alarm report returns the requested ones, the other reports
 * return all.
 */
export const eventMetrics = {
  downtime: {
    downtimeMs: {
      unit: 'ms',
      sum: 'amount',
      title: 'Downtime',
      meaning: 'Time scheduled (setup included) and not in cycle.',
    },
    recordCount: {
      unit: 'records',
      sum: 'records',
      title: 'Records',
      meaning: "Intervals of one machine's downtime with one reason; microstops are not counted.",
    },
  },
  quality: {
    rejectCount: { unit: 'parts', sum: 'amount', title: 'Rejects', meaning: 'Parts rejected.' },
    recordCount: { unit: 'records', sum: 'records', title: 'Records', meaning: 'Part adjustments that reject parts.' },
  },
  alarm: {
    durationMs: {
      unit: 'ms',
      sum: 'amount',
      title: 'Duration',
      meaning: 'Sum of the active times of alarm instances.',
    },
    minStartTime: {
      unit: 'instant',
      sum: 'firstMs',
      title: 'First active',
      meaning: 'When the first alarm was active, as a date-time.',
    },
    maxEndTime: {
      unit: 'instant',
      sum: 'lastMs',
      title: 'Last active',
      meaning: 'When the last alarm was active, as a date-time.',
    },
    recordCount: { unit: 'records', sum: 'records', title: 'Alarms', meaning: 'Alarm instances that were active.' },
    machineCount: { unit: 'machines', sum: 'machines', title: 'Machines', meaning: 'Machines that had an alarm.' },
  },
} as const satisfies Record<string, Readonly<Record<string, EventMetric>>>

export type AlarmMetricName = keyof typeof eventMetrics.alarm
export type EventMetricName = AlarmMetricName | keyof typeof eventMetrics.downtime | keyof typeof eventMetrics.quality

export function isAlarmMetricName(name: string): name is AlarmMetricName {
  return Object.hasOwn(eventMetrics.alarm, name)
}
