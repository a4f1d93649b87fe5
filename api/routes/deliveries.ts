import { readDeliveries } from '../../clickhouse/projections/deliveries.ts'
import { canonicalId } from '../../processors/records/record-ids.ts'
import { fieldError, validationError } from '../../schema/errors.ts'
import { type DeliveryRecord, deliveryResponse, type DeliveryResponse } from '../../schema/records/delivery.ts'
import { deliveriesQuery } from '../../schema/requests/deliveries.ts'
import { namedList, unsafe } from '../../schema/types.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import type { StorePort } from '../ports/ports.ts'
import { answerAll } from './page.ts'
import { withoutCompany } from './record-routes.ts'

const listDeliveries = route('GET /deliveries', 'listDeliveries', {
  summary: 'Deliveries of notices to alert targets, newest first',
  description:
    'At most 200; `startId` requests those after it. A delivery is a message with one or more notices: its id is the `webhook-id` of webhooks. Deliveries are kept for 90 days.',
  scope: anyOf('alert.read'),
  query: deliveriesQuery,
  output: unsafe<JsonList>(namedList(deliveryResponse)),
  async handle({ caller, query, signal }, { store }: StorePort) {
    const { incidentId, targetId, startId } = query
    const ids = {
      ...(incidentId !== undefined && { incidentId: canonicalId(incidentId) }),
      ...(targetId !== undefined && { targetId: canonicalId(targetId) }),
      ...(startId !== undefined && { startId: canonicalId(startId) }),
    }
    const found = await readDeliveries(store, caller().company.id, { ...query, ...ids }, { signal })
    if (found === null)
      throw validationError([fieldError('startId', 'InvalidDataItem', `There is no delivery '${startId}'`)])
    return answerAll(found, presentDelivery)
  },
})

function presentDelivery(record: DeliveryRecord): DeliveryResponse {
  const { index: _, ...shown } = withoutCompany(record)
  return shown
}

export const deliveryRoutes = [listDeliveries]
