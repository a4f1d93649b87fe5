import type { NewRecord } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { deadLetterRecord } from '../decode/dead-letters.ts'
import { SamplePacker } from '../decode/pack-samples.ts'
import { machineIdOf, type SentSample } from '../decode/validate.ts'
import { standalone } from '../decode/json.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Limit of machines per request that have separate dead letters. */
const maxMachines = 1_000

/**
 * Creates dead letters for samples of unknown machines. A dead letter contains many samples, of one machine if
 * possible, so that a request creates only a few dead letters per megabyte.
 */
export class UnknownMachines {
  readonly #records: NewRecord[] = []
  readonly #packer: SamplePacker<string>

  /** `companyRef`: `CompanyRecord.ref` of the sender. */
  constructor(companyRef: CompanyRef, appendedAtMs: number) {
    const place = { topic: topics.samples, partition: -1, offset: -1, appendedAtMs, companyRef }
    this.#packer = new SamplePacker(maxMachines, (message, value) =>
      this.#records.push(deadLetterRecord({ reason: 'unknown_machine', message, value, ...place })),
    )
  }

  add(flat: SentSample, message: string): void {
    const machineId = machineIdOf(flat) ?? ''
    this.#packer.add(machineId, '', standalone(flat), isShared =>
      isShared || machineId === '' ? 'unknown machines' : message,
    )
  }

  /** Completes and returns all dead letters. */
  records(): readonly NewRecord[] {
    this.#packer.end()
    return this.#records
  }
}
