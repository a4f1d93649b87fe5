import type { NewRecord } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { deadLetterRecord } from '../decode/dead-letters.ts'
import { SamplePacker } from '../decode/pack-samples.ts'
import { type Flat, machineIdOf } from '../decode/judge.ts'
import { standalone } from '../decode/record.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Machines of one request that have dead letters of their own. */
const mostMachines = 1_000

/**
 * Dead letters of samples whose machine does not exist: a dead letter holds many samples, of one machine where that is possible, so
 * that a request can't make more dead letters than a few for each of its megabytes.
 */
export class UnknownMachines {
  readonly #records: NewRecord[] = []
  readonly #packer: SamplePacker<string>

  /** `companyRef`: `CompanyRecord.ref` of the sender. */
  constructor(companyRef: CompanyRef, appendedAtMs: number) {
    const place = { topic: topics.samples, partition: -1, offset: -1, appendedAtMs, companyRef }
    this.#packer = new SamplePacker(mostMachines, (message, value) =>
      this.#records.push(deadLetterRecord({ reason: 'unknown_machine', message, value, ...place })),
    )
  }

  add(flat: Flat, message: string): void {
    const machineId = machineIdOf(flat) ?? ''
    this.#packer.add(machineId, '', standalone(flat), isShared =>
      isShared || machineId === '' ? 'there are no such machines' : message,
    )
  }

  /** All of them, so far. */
  records(): readonly NewRecord[] {
    this.#packer.end()
    return this.#records
  }
}
