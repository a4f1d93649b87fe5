import { type IncidentEvent, type IncidentRecord, maxNotices } from '../../../schema/records/incident.ts'

/**
 * Returns the incident with a notice of an event for each target that has a notice of a step, unless only summaries
 * contain them. Repeats are numbered in order, so that no two messages have one id.
 */
export function withEventNotices(incident: IncidentRecord, event: IncidentEvent, now: string): IncidentRecord {
  const { notices } = incident
  const notified = new Set(
    notices.filter(({ step, isSummarized }) => step > 0 && !isSummarized).map(({ targetId }) => targetId),
  )
  const added = [...notified].map(targetId => {
    const earlier = notices.filter(notice => notice.event === event && notice.targetId === targetId)
    const repeat = Math.max(-1, ...earlier.map(notice => notice.repeat)) + 1
    return { event, step: 0, repeat, at: now, targetId, deliveryId: null, isSummarized: false }
  })
  return added.length === 0 ? incident : { ...incident, notices: [...notices, ...added].slice(0, maxNotices) }
}
