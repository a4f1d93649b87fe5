import type { MemoryLimits } from '../../schema/commands/stored-records.ts'
import { instantText } from '../../shared/time/instant.ts'
import type { DeliveryTable } from './delivery-table.ts'
import type { IncidentTable } from './incident-table.ts'

interface AlertTables {
  readonly incidents: IncidentTable
  readonly deliveries: DeliveryTable
}

type Limits = Pick<MemoryLimits, 'incidentAgeMs' | 'maxSettledIncidents' | 'deliveryAgeMs'>

const unlimited: Limits = { incidentAgeMs: Infinity, maxSettledIncidents: Infinity, deliveryAgeMs: Infinity }

/** Number of incidents, and of deliveries, that are never too many. */
const slack = 1_000

/** Removes settled incidents and decided deliveries from memory: the store contains them. */
export class AlertBounds {
  readonly #tables: AlertTables
  readonly #limits: Limits
  #settledFromMs = -Infinity
  /** Number of incidents above which settled ones are removed. */
  #maxIncidents = slack
  /** Number of deliveries above which decided ones are removed. */
  #maxDeliveries = slack

  /** `limits` null: all stay. */
  constructor(tables: AlertTables, limits: Limits | null) {
    this.#tables = tables
    this.#limits = limits ?? unlimited
  }

  /** The incidents that were settled at this instant or later are in memory, UTC ms; -Infinity: all incidents. */
  get settledFromMs(): number {
    return this.#settledFromMs
  }

  /** Begins a restoration: the settled incidents are those from this time on, UTC ms. */
  continueFrom(settledFromMs: number): void {
    this.#settledFromMs = settledFromMs
  }

  /** Call it after each entry, with the clock of its command, UTC ms. */
  afterEntry(nowMs: number): void {
    const { incidents, deliveries } = this.#tables
    if (incidents.size > this.#maxIncidents) this.#limitIncidents(nowMs)
    if (deliveries.size > this.#maxDeliveries) this.#limitDeliveries(nowMs)
  }

  #limitIncidents(nowMs: number): void {
    const { incidents } = this.#tables
    const { incidentAgeMs, maxSettledIncidents } = this.#limits
    const fromMs = incidents.removeSettled(nowMs - incidentAgeMs, maxSettledIncidents)
    this.#settledFromMs = Math.max(this.#settledFromMs, fromMs)
    this.#maxIncidents = incidents.size * 1.25 + slack
  }

  #limitDeliveries(nowMs: number): void {
    const { deliveries } = this.#tables
    const { deliveryAgeMs } = this.#limits
    if (deliveryAgeMs < Infinity) deliveries.removeCreatedBefore(instantText(nowMs - deliveryAgeMs))
    this.#maxDeliveries = deliveries.size * 1.25 + slack
  }
}
