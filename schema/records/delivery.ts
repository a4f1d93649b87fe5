import * as t from '../types.ts'
import { deliveryError } from './alert-target.ts'
import { incidentEvents } from './incident.ts'

/** Limit of the notices of a delivery: the command that creates it changes the incident of each. */
export const maxDeliveryNotices = 500

const deliveryStates = ['pending', 'failed', 'sent', 'abandoned'] as const
export const deliveryState = t.named('DeliveryState', t.oneOf(deliveryStates))

/** `incident.summary`: contains the notices that exceed the limit of messages per minute. */
export const deliveryEvent = t.named('DeliveryEvent', t.oneOf([...incidentEvents, 'incident.summary']))

/** A message to a target. `step` 0: not of a step; `repeat` of a summary: the number of its UTC minute. */
export const delivery = t.object({
  id: t.uuid,
  companyId: t.text,
  targetId: t.id,
  /** null: calls without a rule, or a summary. */
  ruleId: t.nullable(t.id),
  incidentIds: t.list(t.uuid, { maxItems: maxDeliveryNotices }),
  event: deliveryEvent,
  step: t.int,
  repeat: t.int,
  state: deliveryState,
  /** Instant that decides in which minute it counts. */
  dueAt: t.instant,
  createdAt: t.instant,
  /** Position among the deliveries that the same command created. */
  index: t.int,
  /** First failure. */
  failedAt: t.nullable(t.instant),
  sentAt: t.nullable(t.instant),
  lastError: t.nullable(deliveryError),
})
export type DeliveryRecord = t.Infer<typeof delivery>

/** Whether the state of a delivery may still change. */
export function isUndecided({ state }: Pick<DeliveryRecord, 'state'>): boolean {
  return state === 'pending' || state === 'failed'
}

/** Response for a delivery. */
export const deliveryResponse = t.named(
  'Delivery',
  t.extendObject(t.without(delivery, 'companyId', 'index', 'state'), {
    state: t.described(deliveryState, '`failed`: will be repeated; `abandoned`: will not'),
  }),
)
export type DeliveryResponse = t.Infer<typeof deliveryResponse>
