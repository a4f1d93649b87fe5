/** Metric of a group in a report of events (downtime, rejects, alarms, incidents). */
export interface EventMetric {
  readonly unit: 'ms' | 'parts' | 'records' | 'machines' | 'instant'
  /** Sum that the metric returns. */
  readonly sum: EventSum
  readonly title: string
  readonly meaning: string
}

/**
 * Sums that a report of events computes per group: `amount` (ms or parts), numbers of distinct records and machines,
 * and the first and last instant, UTC ms. Incidents have those of `IncidentSum`.
 */
export type EventSum = 'amount' | 'records' | 'machines' | 'firstMs' | 'lastMs' | IncidentSum

/** Sums and percentiles of times of incidents, ms, and numbers of incidents. */
type IncidentSum =
  | 'acknowledgeMs'
  | 'acknowledgeMsP50'
  | 'acknowledgeMsP90'
  | 'resolveMs'
  | 'resolveMsP50'
  | 'resolveMsP90'
  | 'unacknowledged'
  | 'unresolved'
  | 'escalated'

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
  incident: {
    recordCount: { unit: 'records', sum: 'records', title: 'Incidents', meaning: 'Incidents that began.' },
    openMs: {
      unit: 'ms',
      sum: 'amount',
      title: 'Time open',
      meaning: 'Sum of the times from the opening to the resolution, or to now.',
    },
    timeToAcknowledgeMs: {
      unit: 'ms',
      sum: 'acknowledgeMs',
      title: 'Time to acknowledge',
      meaning: 'Sum of the times from the opening to the first acknowledgement, of acknowledged incidents.',
    },
    timeToAcknowledgeMsP50: {
      unit: 'ms',
      sum: 'acknowledgeMsP50',
      title: 'Time to acknowledge, median',
      meaning: 'Half of the acknowledged incidents were acknowledged within this time; null without any.',
    },
    timeToAcknowledgeMsP90: {
      unit: 'ms',
      sum: 'acknowledgeMsP90',
      title: 'Time to acknowledge, 90%',
      meaning: 'Nine of ten acknowledged incidents were acknowledged within this time; null without any.',
    },
    timeToResolveMs: {
      unit: 'ms',
      sum: 'resolveMs',
      title: 'Time to resolve',
      meaning: 'Sum of the times from the opening to the resolution, of resolved incidents.',
    },
    timeToResolveMsP50: {
      unit: 'ms',
      sum: 'resolveMsP50',
      title: 'Time to resolve, median',
      meaning: 'Half of the resolved incidents were resolved within this time; null without any.',
    },
    timeToResolveMsP90: {
      unit: 'ms',
      sum: 'resolveMsP90',
      title: 'Time to resolve, 90%',
      meaning: 'Nine of ten resolved incidents were resolved within this time; null without any.',
    },
    unacknowledgedCount: {
      unit: 'records',
      sum: 'unacknowledged',
      title: 'Not acknowledged',
      meaning: 'Incidents without an acknowledgement.',
    },
    unresolvedCount: {
      unit: 'records',
      sum: 'unresolved',
      title: 'Not resolved',
      meaning: 'Incidents that are open or acknowledged.',
    },
    escalatedCount: {
      unit: 'records',
      sum: 'escalated',
      title: 'Escalated',
      meaning: 'Incidents with a notice of the second or a later step.',
    },
  },
} as const satisfies Record<string, Readonly<Record<string, EventMetric>>>

export type AlarmMetricName = keyof typeof eventMetrics.alarm
export type IncidentMetricName = keyof typeof eventMetrics.incident
export type EventMetricName =
  AlarmMetricName | IncidentMetricName | keyof typeof eventMetrics.downtime | keyof typeof eventMetrics.quality

export function isAlarmMetricName(name: string): name is AlarmMetricName {
  return Object.hasOwn(eventMetrics.alarm, name)
}
