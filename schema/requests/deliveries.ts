import { Type } from 'typebox'
import { deliveryState } from '../records/delivery.ts'
import { described, id, type Infer, partial, uuid } from '../types.ts'

/** Default and maximum number of deliveries of a page. */
export const maxDeliveries = 200

/** Query of `GET /deliveries`. */
export const deliveriesQuery = partial({
  incidentId: uuid,
  targetId: id,
  state: deliveryState,
  startId: described(uuid, 'Id of the last delivery of the previous page'),
  limit: Type.Integer({ minimum: 1, maximum: maxDeliveries, default: maxDeliveries }),
})
export type DeliveriesQuery = Infer<typeof deliveriesQuery>
