import type { NewRecord } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { deadLetterRecord, maxDeadLetterLength } from '../decode/dead-letters.ts'
import { type Flat, machineIdOf, standalone } from '../decode/record.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Machines of one request that have dead letters of their own. */
const mostMachines = 1_000

/** Samples of one dead letter that is still open, as JSON texts. */
interface OpenDeadLetter {
  readonly message: string
  readonly samples: string[]
  length: number
}

/**
 * Dead letters of samples whose machine does not exist: a dead letter holds many samples, of one machine where that is possible, so
 * that a request can't make more dead letters than a few for each of its megabytes.
 */
export class UnknownMachines {
  readonly #companyRef: CompanyRef
  readonly #appendedAtMs: number
  readonly #open = new Map<string, OpenDeadLetter>()
  readonly #records: NewRecord[] = []

  /** `companyRef`: `CompanyRecord.ref` of the sender. */
  constructor(companyRef: CompanyRef, appendedAtMs: number) {
    this.#companyRef = companyRef
    this.#appendedAtMs = appendedAtMs
  }

  add(flat: Flat, message: string): void {
    const machineId = machineIdOf(flat) ?? ''
    const name = this.#open.has(machineId) || this.#open.size < mostMachines ? machineId : ''
    const json = standalone(flat)
    let deadLetter = this.#open.get(name)
    if (deadLetter !== undefined && deadLetter.length + json.length > maxDeadLetterLength) {
      this.#records.push(this.#record(deadLetter))
      deadLetter = undefined
    }
    deadLetter ??= { message: name === '' ? 'there are no such machines' : message, samples: [], length: 1 }
    deadLetter.samples.push(json)
    deadLetter.length += json.length + 1
    this.#open.set(name, deadLetter)
  }

  /** All of them; nothing must be added after. */
  records(): readonly NewRecord[] {
    return [...this.#records, ...[...this.#open.values()].map(deadLetter => this.#record(deadLetter))]
  }

  #record({ message, samples }: OpenDeadLetter): NewRecord {
    const value = samples.length === 1 ? samples.join('') : `[${samples.join(',')}]`
    const place = { topic: topics.samples, partition: -1, offset: -1 }
    const sender = { appendedAtMs: this.#appendedAtMs, companyRef: this.#companyRef }
    return deadLetterRecord({ reason: 'unknown_machine', message, value, ...place, ...sender })
  }
}
