import type { DowntimeReasonAnswer } from '../../../schema/records/downtime-reason.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { DowntimeRecordAnswer } from '../../../schema/requests/downtime-records.ts'
import type { FlatReport } from '../../data/production.ts'
import { idIn } from '../../data/production.ts'
import { holds, type Viewer } from '../../data/viewer.ts'
import type { ReportRange } from '../../time/period.ts'
import type { View } from './view.ts'

type Sums = Readonly<{ downtimeMs: number; recordCount: number }>

/** Most stops that the list shows. */
export const mostStops = 200

/** Reports and stops of a view. */
export interface DowntimeData {
  /** View that they were asked for; another one may already be chosen. */
  readonly key: string
  readonly byReason: FlatReport<Sums>
  readonly byMachine: FlatReport<Sums>
  readonly stops: readonly DowntimeRecordAnswer[]
  /** Reasons that can be given, as the palette has them. */
  readonly reasons: readonly DowntimeReasonAnswer[]
  readonly machines: readonly MachineListItem[]
}

/** Loads the reports and stops of a view, side by side. */
export async function loadDowntime(viewer: Viewer, key: string, view: View, range: ReportRange): Promise<DowntimeData> {
  const { client } = viewer
  const filter = view.machines.length > 0 ? { machine: view.machines } : {}
  const ask = (group: 'reason' | 'machine') =>
    client.call('POST /reports/downtime', { body: { ...range, groupBy: [group], filter, flatten: true } })
  // The list takes instants: those that the report has made of shop days.
  const byReason = await ask('reason')
  const [byMachine, stops, reasons, machines] = await Promise.all([
    ask('machine'),
    byReason.range.start < byReason.range.end
      ? client.call('GET /downtime-records', {
          query: {
            start: byReason.range.start,
            end: byReason.range.end,
            orderBy: view.order,
            direction: 'DESC',
            limit: String(mostStops),
            machineId: view.machines,
            reason: view.reason === 'all' ? [] : [view.reason],
          },
        })
      : [],
    holds(viewer, 'annotation.read') ? client.call('GET /downtime-reasons') : [],
    client.call('GET /machines', { query: { includeDecommissioned: 'true' } }),
  ])
  return { key, byReason, byMachine, stops, reasons: reasons.filter(({ hidden }) => !hidden), machines }
}

/** Downtime by the id of its reason, ms. */
export function timesOf({ byReason }: DowntimeData): ReadonlyMap<string, number> {
  return new Map(byReason.items.map(row => [idIn(row, 'reason'), row.downtimeMs]))
}
