import { shortenMessage } from '../../schema/error-text.ts'
import type { IngestAnswer } from '../../schema/requests/ingest.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import type { SampleRejection } from '../decode/validate.ts'

/** Limit of rejected samples that a response lists. */
const maxListed = 100
/** Limit of each message, UTF-16 units. */
const maxMessageLength = 400

/** Lists the first rejected samples and counts all, in constant memory. */
export class Rejections {
  readonly #listed: { readonly index: number; readonly code: DeadLetterReason; readonly message: string }[] = []
  readonly #byCode = new Map<DeadLetterReason, number>()
  #count = 0

  add({ index, reason, message }: SampleRejection): void {
    this.#count += 1
    this.#byCode.set(reason, (this.#byCode.get(reason) ?? 0) + 1)
    if (this.#listed.length < maxListed)
      this.#listed.push({ index, code: reason, message: shortenMessage(message.slice(0, maxMessageLength)) })
  }

  answer(accepted: number): IngestAnswer {
    const isNone = accepted === 0 && this.#count > 0
    return {
      accepted,
      rejected: this.#listed,
      rejectedCount: this.#count,
      rejectedByCode: Object.fromEntries(this.#byCode),
      ...(isNone && {
        warnings: [{ field: 'samples', message: 'No sample was accepted; see rejected for the reasons' }],
      }),
    }
  }
}
