import type { IncidentMetricName } from '../../schema/event-metrics.ts'

/** Values of a group of incidents: ms, or numbers of incidents; null: the group has no such incident. */
export type IncidentValues = Readonly<Record<IncidentMetricName, number | null>>
