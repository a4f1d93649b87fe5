import { Type } from 'typebox'
import { deliveryState } from '../records/delivery.ts'
import * as t from '../types.ts'

/** Default and maximum number of deliveries of a page. */
export const maxDeliveries = 200

/** Query of `GET /deliveries`. */
export const deliveriesQuery = t.partial({
  incidentId: t.uuid,
  targetId: t.id,
  state: deliveryState,
  startId: t.described(t.uuid, 'Id of the last delivery of the previous page'),
  limit: Type.Integer({ minimum: 1, maximum: maxDeliveries, default: maxDeliveries }),
})
export type DeliveriesQuery = t.Infer<typeof deliveriesQuery>
