import { maxDeliveryNotices } from '../../schema/records/delivery.ts'
import type { WaitingNotice } from './waiting-notice.ts'

/** Notices that one message contains; at least one. */
export interface Collection {
  readonly notices: readonly WaitingNotice[]
  /** Instant at which no further notice may join, UTC ms. */
  readonly dueMs: number
}

interface OpenCollection extends Collection {
  readonly notices: WaitingNotice[]
  readonly index: number
}

/**
 * Collects the waiting notices of a target, in the order of `readyMs`, to messages: those of one rule, event, step and
 * repeat that are ready within `collectMs` of the first. Messages are in the order in which they began, which is also that
 * of `dueMs`. So that the notices of an incident stay in their order, a notice begins a new message if the message that
 * it would join, or a later one, contains a notice of the same incident.
 *
 * @param collectMs 0: each notice is a message
 */
export function collectNotices(notices: readonly WaitingNotice[], collectMs: number): readonly Collection[] {
  const collections: OpenCollection[] = []
  const openByKey = new Map<string, OpenCollection>()
  const lastOfIncident = new Map<string, number>()
  for (const notice of notices) {
    const key = JSON.stringify([notice.ruleId, notice.event, notice.step, notice.repeat])
    let collection = openByKey.get(key)
    if (collection === undefined || !mayJoin(notice, collection, lastOfIncident.get(notice.incidentId))) {
      collection = { notices: [], dueMs: notice.readyMs + collectMs, index: collections.length }
      collections.push(collection)
      openByKey.set(key, collection)
    }
    collection.notices.push(notice)
    lastOfIncident.set(notice.incidentId, collection.index)
  }
  return collections
}

function mayJoin(
  { readyMs }: WaitingNotice,
  { notices, dueMs, index }: OpenCollection,
  lastOfIncident: number | undefined,
): boolean {
  return (
    readyMs < dueMs && notices.length < maxDeliveryNotices && (lastOfIncident === undefined || lastOfIncident < index)
  )
}
