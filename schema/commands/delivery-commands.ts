import { deliveryError } from '../records/alert-target.ts'
import { delivery, deliveryEvent, maxDeliveryNotices } from '../records/delivery.ts'
import { incidentEvent } from '../records/incident.ts'
import { bool, id, type Infer, instant, int, list, nullable, object, oneOf, uuid } from '../types.ts'
import { command } from './contract.ts'
import { partitionOwner } from './incident-commands.ts'

/** A notice of an incident for the target of the command. */
const noticeName = object({ incidentId: uuid, event: incidentEvent, step: int, repeat: int })
export type NoticeName = Infer<typeof noticeName>

const newDelivery = object({
  id: uuid,
  ruleId: nullable(id),
  event: deliveryEvent,
  step: int,
  repeat: int,
  dueAt: instant,
  notices: list(noticeName, { minItems: 1, maxItems: maxDeliveryNotices }),
})
export type NewDelivery = Infer<typeof newDelivery>

/** Commands on deliveries. They carry the fence of the partition of the target: a lower one is rejected. */
export const deliveryCommands = {
  /**
   * Creates deliveries, and sets their ids in the notices that they contain. Removes the notices in `dropped`. Returns the
   * ids of deliveries that were refused: one of their notices does not wait any more.
   */
  'delivery.create': command(
    object({
      ...partitionOwner,
      targetId: id,
      deliveries: list(newDelivery, { maxItems: maxDeliveryNotices }),
      dropped: list(noticeName, { maxItems: maxDeliveryNotices }),
    }),
    object({ refused: list(uuid) }),
  ),
  /** Stores the first failure of a delivery, or its final state, which stays. `disablesTarget`: with the error as cause. */
  'delivery.record': command(
    object({
      ...partitionOwner,
      id: uuid,
      state: oneOf(['failed', 'sent', 'abandoned']),
      error: nullable(deliveryError),
      disablesTarget: bool,
    }),
    delivery,
  ),
} as const
