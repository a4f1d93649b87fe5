import type { NewRecord } from '../../log/log.ts'
import { shortenMessage } from '../../schema/error-text.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { IngestResponse, RejectionCode } from '../../schema/requests/ingest.ts'
import { type DeadLetterReason, topics } from '../../schema/topics.ts'
import { deadLetterRecord, SamplePacker } from '../decode/dead-letters.ts'
import { standalone } from '../decode/json.ts'
import { machineIdOf, type MachineLookup, type SampleRejection, type SentSample } from '../decode/validate.ts'

/** Limit of rejected samples that a response lists. */
const maxListed = 100
/** Limit of each message, UTF-16 units. */
const maxMessageLength = 400
/** Limit of machines per request that have separate dead letters. */
const maxMachines = 1_000

/** Description of the samples of a dead letter. */
interface Verdict {
  readonly reason: DeadLetterReason
  readonly message: string
}

/** Why a posted sample was rejected. */
export type PostRejection = Omit<SampleRejection, 'reason'> & { readonly reason: RejectionCode }

/**
 * The rejected samples of a request: lists the first ones and counts all, and creates dead letters for samples of
 * unknown machines or, if no sender reads the response, for all. A dead letter contains many samples, of one machine if possible, so that a request creates only a
 * few dead letters per megabyte.
 */
export class Rejections {
  readonly #find: MachineLookup
  readonly #listed: { readonly index: number; readonly code: RejectionCode; readonly message: string }[] = []
  readonly #byCode = new Map<RejectionCode, number>()
  #count = 0
  readonly #deadLetters: NewRecord[] = []
  readonly #packer: SamplePacker<Verdict>
  readonly #storesAll: boolean

  /**
   * `companyRef`: `CompanyRecord.ref` of the sender. `find`: finds the machines of all companies. `storesAll`: whether
   * samples become dead letters whatever the reason.
   */
  constructor(companyRef: CompanyRef, appendedAtMs: number, find: MachineLookup, storesAll: boolean) {
    this.#find = find
    this.#storesAll = storesAll
    const source = { topic: topics.samples, partition: -1, offset: -1, appendedAtMs, companyRef }
    this.#packer = new SamplePacker(maxMachines, (verdict, value) =>
      this.#deadLetters.push(deadLetterRecord({ ...verdict, value, ...source })),
    )
  }

  add(rejection: PostRejection, sent: SentSample): void {
    this.#list(rejection)
    const machineId = machineIdOf(sent)
    const { reason, message } = rejection
    if (reason === 'unknown_machine') {
      // A replay must not give the samples to a machine of another company.
      if (machineId === undefined || this.#find(machineId) !== undefined) return
      this.#packer.add(machineId, '', standalone(sent), isShared => ({
        reason,
        message: isShared || machineId === '' ? 'unknown machines' : message,
      }))
    } else if (this.#storesAll && reason !== 'unmapped')
      this.#packer.add(`${reason} ${machineId}`, reason, standalone(sent), () => ({ reason, message }))
  }

  addCutLine(index: number): void {
    this.#list({ index, reason: 'invalid_json', message: 'The last line is incomplete: send it again' })
  }

  #list({ index, reason, message }: PostRejection): void {
    this.#count += 1
    this.#byCode.set(reason, (this.#byCode.get(reason) ?? 0) + 1)
    if (this.#listed.length < maxListed)
      this.#listed.push({ index, code: reason, message: shortenMessage(message.slice(0, maxMessageLength)) })
  }

  /** Completes and returns all dead letters. */
  deadLetters(): readonly NewRecord[] {
    this.#packer.end()
    return this.#deadLetters
  }

  toResponse(accepted: number): IngestResponse {
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
