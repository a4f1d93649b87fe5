import type { IncidentCause, IncidentRecord } from '../../schema/records/incident.ts'
import type { Span } from '../spans/spans.ts'

/** The fields of a stored incident of one rule and subject that the matching reads. Instants are UTC ms. */
export interface KnownIncident extends Pick<IncidentRecord, 'id' | 'state' | 'cause' | 'reopened'> {
  readonly startedMs: number
  readonly openedMs: number
  /** Infinity: the condition holds. */
  readonly endedMs: number
  /** Clock of the opening. */
  readonly detectedMs: number
  /** Instant of the resolution; of a resolution by a user, its clock. null: not resolved. */
  readonly resolvedMs: number | null
}

/** Event times of an incident, UTC ms. `endedMs` Infinity: the condition holds. */
export interface IncidentTimes extends Pick<KnownIncident, 'startedMs' | 'openedMs' | 'endedMs' | 'reopened'> {}

/**
 * A change of an incident. `open`: a new one, already resolved if its span has ended. `correct`: other times, the same
 * state. `resume`: a resolved one is unresolved again, acknowledged if it was.
 */
export type IncidentChange =
  | { readonly type: 'open'; readonly span: Span }
  | { readonly type: 'correct'; readonly id: string; readonly times: IncidentTimes }
  | { readonly type: 'resume'; readonly id: string; readonly times: IncidentTimes }
  | {
      readonly type: 'resolve'
      readonly id: string
      readonly times: IncidentTimes
      readonly resolvedMs: number
      readonly cause: Exclude<IncidentCause, 'user'>
    }
  | { readonly type: 'retract'; readonly id: string; readonly mergedInto: string | null }

/** Whether the incident is open or acknowledged. */
export function isUnresolved({ state }: Pick<KnownIncident, 'state'>): boolean {
  return state === 'open' || state === 'acknowledged'
}

/** Whether the condition of the incident holds, as far as it is known. A user may have resolved the incident. */
export function hasNoEnd({ state, endedMs }: Pick<KnownIncident, 'state' | 'endedMs'>): boolean {
  return state !== 'retracted' && endedMs === Infinity
}
