import type { MachineMetrics, MachineTimeline, MetricValues } from '../../../schema/requests/machine-timeline.ts'
import type { Client } from '../../data/client.ts'
import type { TimeWindow } from './time-window.ts'

/** Data of a window of a machine. */
export interface WindowData {
  readonly machineId: string
  readonly timeline: MachineTimeline
  readonly metrics: readonly MetricValues[]
}

/** Loads lanes and metrics of a window, with a step for every second pixel at most. */
export async function loadWindow(
  client: Client,
  machineId: string,
  { fromMs, toMs }: TimeWindow,
  keys: readonly string[],
  widthPx: number,
): Promise<WindowData> {
  const points = String(Math.min(Math.max(Math.round(widthPx / 3), 100), 600))
  const query = { start: new Date(fromMs).toISOString(), end: new Date(toMs).toISOString(), points }
  const params = { id: machineId }
  const [timeline, ...metrics] = await Promise.all([
    client.call('GET /machines/:id/timeline', { params, query }),
    ...keys.map(key => client.call('GET /machines/:id/metric-values', { params, query: { ...query, key } })),
  ])
  return { machineId, timeline, metrics }
}

/** Keys whose latest value is a number, speeds and loads first. */
export function numericKeys({ metrics }: MachineMetrics): readonly string[] {
  const numeric = metrics.filter(({ value }) => value.trim() !== '' && Number.isFinite(Number(value)))
  const rank = (type: string) => (/SPEED|VELOCITY/.test(type) ? 0 : /LOAD|FEED/.test(type) ? 1 : 2)
  return [...new Set(numeric.toSorted((a, b) => rank(a.type) - rank(b.type)).map(({ key }) => key))]
}
