import type { DeliveryRecord } from '../../schema/records/delivery.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { incidentUrl } from '../mail/describe-incident.ts'

/** Number of incidents that a summary names. */
const maxNamed = 100

/** Returns the body of a webhook: without the notices, which name other targets, and the comments of the incident. */
export function webhookBody(
  delivery: DeliveryRecord,
  [incident]: readonly IncidentRecord[],
  publicUrl: string | null,
): string {
  const { event: type, step, repeat, incidentIds, dueAt } = delivery
  if (type === 'incident.summary' || incident === undefined) {
    const url = publicUrl === null ? null : `${publicUrl}/app/now`
    const data = { count: incidentIds.length, incidentIds: incidentIds.slice(0, maxNamed), url }
    return JSON.stringify({ type, timestamp: dueAt, data })
  }
  const { companyId: _, notices, comments: _comments, ...shown } = incident
  const notice = notices.find(({ deliveryId }) => deliveryId === delivery.id)
  const data = { incident: shown, step, repeat, url: incidentUrl(incident.id, publicUrl) }
  return JSON.stringify({ type, timestamp: notice?.at ?? dueAt, data })
}
