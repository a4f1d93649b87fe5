import { deliveryError } from '../records/alert-target.ts'
import { delivery, deliveryEvent, maxDeliveryNotices } from '../records/delivery.ts'
import { incidentEvent } from '../records/incident.ts'
import * as t from '../types.ts'
import { command } from './contract.ts'
import { partitionOwner } from './incident-commands.ts'

/** A notice of an incident for the target of the command. */
const noticeName = t.object({ incidentId: t.uuid, event: incidentEvent, step: t.int, repeat: t.int })
export type NoticeName = t.Infer<typeof noticeName>

const newDelivery = t.object({
  id: t.uuid,
  ruleId: t.nullable(t.id),
  event: deliveryEvent,
  step: t.int,
  repeat: t.int,
  dueAt: t.instant,
  notices: t.list(noticeName, { minItems: 1, maxItems: maxDeliveryNotices }),
})
export type NewDelivery = t.Infer<typeof newDelivery>

/** Commands on deliveries. They carry the fence of the partition of the target: a lower one is rejected. */
export const deliveryCommands = {
  /**
   * Creates deliveries, and sets their ids in the notices that they contain. Removes the notices in `dropped`. Returns the
   * ids of deliveries that were refused: one of their notices does not wait any more.
   */
  'delivery.create': command(
    t.object({
      ...partitionOwner,
      targetId: t.id,
      deliveries: t.list(newDelivery, { maxItems: maxDeliveryNotices }),
      dropped: t.list(noticeName, { maxItems: maxDeliveryNotices }),
    }),
    t.object({ refused: t.list(t.uuid) }),
  ),
  /** Stores the first failure of a delivery, or its final state, which stays. `disablesTarget`: with the error as cause. */
  'delivery.record': command(
    t.object({
      ...partitionOwner,
      id: t.uuid,
      state: t.oneOf(['failed', 'sent', 'abandoned']),
      error: t.nullable(deliveryError),
      disablesTarget: t.bool,
    }),
    delivery,
  ),
} as const
