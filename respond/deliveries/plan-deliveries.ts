import { type DeliveryRecord, maxDeliveryNotices } from '../../schema/records/delivery.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { inParts } from '../../shared/collections/in-parts.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { collectNotices } from './collect-notices.ts'
import { type DeliveryContent, deliveryIdOf } from './delivery-id.ts'
import type { WaitingNotice } from './waiting-notice.ts'

/** Part of the deliveries of a minute that one rule may use: a flood of one cause leaves room for another one. */
const shareOfRule = 0.75

/** A delivery to create. */
export interface PlannedDelivery {
  readonly id: string
  readonly ruleId: string | null
  /** `incident.summary`: the notices exceed the limit of a minute. */
  readonly event: DeliveryRecord['event']
  readonly step: number
  readonly repeat: number
  readonly notices: readonly WaitingNotice[]
  /** Instant at which it was due, which decides its minute, UTC ms. */
  readonly dueMs: number
}

/** A delivery of the target that was created before. */
export interface CreatedDelivery extends Pick<PlannedDelivery, 'ruleId' | 'event' | 'dueMs'> {}

export interface PlanInputs {
  readonly targetId: string
  /** Waiting notices of the target, in the order of `readyMs`. */
  readonly notices: readonly WaitingNotice[]
  /** Time during which notices are collected, ms; 0: none, as for webhooks. */
  readonly collectMs: number
  /** Limit of the deliveries per UTC minute. */
  readonly perMinute: number
  /** Deliveries of the target since the minute of the first waiting notice. */
  readonly created: readonly CreatedDelivery[]
  readonly nowMs: number
}

/** Deliveries to create now, in order, and the instant at which the next one is due; null: there is none. */
export interface DeliveryPlan {
  readonly due: readonly PlannedDelivery[]
  readonly nextMs: number | null
}

/**
 * Returns the deliveries of a target that are due. Of the messages that are due within a UTC minute, those beyond the
 * limit become one summary at the end of the minute. A pure function of its inputs: after a crash, the same notices give
 * deliveries with the same ids.
 */
export function planDeliveries({ targetId, notices, collectMs, perMinute, created, nowMs }: PlanInputs): DeliveryPlan {
  const minutes = new MinuteLimits(perMinute, created)
  const due: PlannedDelivery[] = []
  const exceeding = new Map<number, WaitingNotice[]>()
  let nextMs = Infinity
  for (const { notices: collected, dueMs } of collectNotices(notices, collectMs)) {
    const [first] = collected
    if (first === undefined) continue
    if (dueMs > nowMs) {
      nextMs = Math.min(nextMs, dueMs)
      break
    }
    const minute = Math.floor(dueMs / minuteMs)
    if (minutes.admit(minute, first.ruleId)) due.push(plannedDelivery(targetId, collected, dueMs, first))
    else getOrCreate(exceeding, minute, () => []).push(...collected)
  }
  const summaries = [...exceeding].flatMap(([minute, exceeded]) => summariesOf(targetId, exceeded, minute, created))
  for (const { dueMs } of summaries) if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs)
  // A summary precedes the deliveries of the next minute, which may contain later notices of its incidents.
  const all = [...summaries.filter(({ dueMs }) => dueMs <= nowMs), ...due].toSorted((a, b) => a.dueMs - b.dueMs)
  return { due: all, nextMs: nextMs === Infinity ? null : nextMs }
}

/** Counts the deliveries of each UTC minute, of all rules and of each. */
class MinuteLimits {
  readonly #perMinute: number
  readonly #counts = new Map<string, number>()

  constructor(perMinute: number, created: readonly CreatedDelivery[]) {
    this.#perMinute = perMinute
    for (const { event, dueMs, ruleId } of created)
      if (event !== 'incident.summary') this.#count(Math.floor(dueMs / minuteMs), ruleId)
  }

  /** Counts a delivery and returns true, or returns false if it exceeds the limit of its minute. */
  admit(minute: number, ruleId: string | null): boolean {
    const ofRule = this.#counts.get(`${minute}/${ruleId}`) ?? 0
    if ((this.#counts.get(String(minute)) ?? 0) >= this.#perMinute) return false
    if (ofRule >= Math.ceil(this.#perMinute * shareOfRule)) return false
    this.#count(minute, ruleId)
    return true
  }

  #count(minute: number, ruleId: string | null): void {
    for (const key of [String(minute), `${minute}/${ruleId}`]) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }
}

type Content = Pick<PlannedDelivery, 'ruleId' | 'event' | 'step' | 'repeat'>

function plannedDelivery(
  targetId: string,
  notices: readonly WaitingNotice[],
  dueMs: number,
  { ruleId, event, step, repeat }: Content,
): PlannedDelivery {
  return { id: idOf(targetId, notices, { event, step, repeat }), ruleId, event, step, repeat, notices, dueMs }
}

/**
 * The minute and the number of the summary in it are part of the id: summaries of an incident in several minutes, or of
 * the same incidents in one minute, are different messages.
 */
function summariesOf(
  targetId: string,
  exceeding: readonly WaitingNotice[],
  minute: number,
  created: readonly CreatedDelivery[],
): readonly PlannedDelivery[] {
  const dueMs = (minute + 1) * minuteMs
  const earlier = created.filter(({ event, dueMs: at }) => event === 'incident.summary' && at === dueMs)
  return [...inParts(exceeding, maxDeliveryNotices)].map((notices, index) => {
    const content = { ruleId: null, event: 'incident.summary', step: earlier.length + index, repeat: minute } as const
    return plannedDelivery(targetId, notices, dueMs, content)
  })
}

function idOf(
  targetId: string,
  notices: readonly WaitingNotice[],
  content: Pick<DeliveryContent, 'event' | 'step' | 'repeat'>,
): string {
  const incidents = new Map(notices.map(({ incidentId: id, reopened }) => [id, { id, reopened }]))
  return deliveryIdOf({ ...content, incidents: [...incidents.values()], targetId })
}
