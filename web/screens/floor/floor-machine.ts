import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import type { MetricSelection } from '../../data/production.ts'

/** Job, people and reason at a machine. */
export interface Activity {
  readonly job: string | null
  readonly part: string | null
  readonly isSetup: boolean
  readonly operators: readonly string[]
  /** Reason of the downtime that it is in. */
  readonly reason: { readonly name: string; readonly color: string } | null
}

/** A machine's status now, and since when (UTC ms). */
export interface StatusNow {
  readonly status: MachineListItem['status']
  /** null: not received yet. */
  readonly sinceMs: number | null
  readonly message: string | null
}

/** A stop in scheduled time that has not ended. */
export interface OpenStop {
  /** Id of the downtime record. */
  readonly id: string
  /** UTC ms. */
  readonly sinceMs: number
  /** null: no reason is assigned. */
  readonly reason: string | null
}

/** One machine as the floor shows it. */
export interface FloorMachine {
  readonly machine: MachineListItem
  readonly now: StatusNow
  /** null: not loaded yet. */
  readonly figures: MetricSelection | null
  readonly activity: Activity | null
  /** null: the machine is in cycle or not scheduled, or its stop is not known yet. */
  readonly stop: OpenStop | null
  /** Whether it is in cycle or should be; true also while the stops are not known. */
  readonly isScheduled: boolean
  /** The unresolved incident of the highest severity; null: none. */
  readonly incident: IncidentItem | null
}
