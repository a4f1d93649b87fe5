import type { IncidentEvent } from '../../schema/records/incident.ts'

/** A notice of an incident for one target that no delivery contains yet. */
export interface WaitingNotice {
  readonly incidentId: string
  readonly reopened: number
  /** null: a call without a rule. */
  readonly ruleId: string | null
  readonly event: IncidentEvent
  /** From 1; 0: not of a step. */
  readonly step: number
  /** From 0. */
  readonly repeat: number
  /** Instant from which it may be sent, UTC ms: its own, or later after a pause or a change of the owner. */
  readonly readyMs: number
}
