import {
  described,
  extendObject,
  id,
  type Infer,
  instant,
  int,
  list,
  named,
  nullable,
  object,
  oneOf,
  text,
  uuid,
  without,
} from '../types.ts'
import { deliveryError } from './alert-target.ts'
import { incidentEvents } from './incident.ts'

/** Limit of the notices of a delivery: the command that creates it changes the incident of each. */
export const maxDeliveryNotices = 500

const deliveryStates = ['pending', 'failed', 'sent', 'abandoned'] as const
export const deliveryState = named('DeliveryState', oneOf(deliveryStates))

/** `incident.summary`: contains the notices that exceed the limit of messages per minute. */
export const deliveryEvent = named('DeliveryEvent', oneOf([...incidentEvents, 'incident.summary']))

/** A message to a target. `step` 0: not of a step; `repeat` of a summary: the number of its UTC minute. */
export const delivery = object({
  id: uuid,
  companyId: text,
  targetId: id,
  /** null: calls without a rule, or a summary. */
  ruleId: nullable(id),
  incidentIds: list(uuid, { maxItems: maxDeliveryNotices }),
  event: deliveryEvent,
  step: int,
  repeat: int,
  state: deliveryState,
  /** Instant that decides in which minute it counts. */
  dueAt: instant,
  createdAt: instant,
  /** Position among the deliveries that the same command created. */
  index: int,
  /** First failure. */
  failedAt: nullable(instant),
  sentAt: nullable(instant),
  lastError: nullable(deliveryError),
})
export type DeliveryRecord = Infer<typeof delivery>

/** Whether the state of a delivery may still change. */
export function isUndecided({ state }: Pick<DeliveryRecord, 'state'>): boolean {
  return state === 'pending' || state === 'failed'
}

/** Response for a delivery. */
export const deliveryResponse = named(
  'Delivery',
  extendObject(without(delivery, 'companyId', 'index', 'state'), {
    state: described(deliveryState, '`failed`: will be repeated; `abandoned`: will not'),
  }),
)
export type DeliveryResponse = Infer<typeof deliveryResponse>
