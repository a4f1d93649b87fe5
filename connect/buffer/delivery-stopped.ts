/** The connector stops, so that samples are not delivered any more. */
export class DeliveryStopped extends Error {
  override readonly name = 'DeliveryStopped'
  readonly code = 'delivery_stopped'
  readonly retryable = false
}
