import type { NewRecord } from '../../log/log.ts'

const maxSamples = 500
/** In UTF-16 units; the log takes records of up to a megabyte. */
const maxLength = 200_000

/** A sample's JSON text (an object), and the machine it belongs to. */
export interface MachineSample {
  readonly machineId: string
  readonly json: string
}

/**
 * Gateway batches for samples.v1, made as samples come. Each batch is of one machine and keyed by it, keeps the order given and
 * fits the log.
 */
export class Batches {
  readonly #machines = new Map<string, MachineBatches>()

  add({ machineId, json }: MachineSample): void {
    let own = this.#machines.get(machineId)
    if (own === undefined) {
      own = new MachineBatches(machineId)
      this.#machines.set(machineId, own)
    }
    own.add(json)
  }

  /** All of them; ends the batches that are not full. */
  records(): readonly NewRecord[] {
    return [...this.#machines.values()].flatMap(own => own.records())
  }
}

class MachineBatches {
  readonly #machineId: string
  readonly #records: NewRecord[] = []
  #samples: string[] = []
  #length = 0

  constructor(machineId: string) {
    this.#machineId = machineId
  }

  /** One text that is longer than a batch may be is a batch of its own. */
  add(json: string): void {
    const isFull = this.#samples.length === maxSamples || this.#length + json.length > maxLength
    if (isFull && this.#samples.length > 0) this.#end()
    this.#samples.push(json)
    this.#length += json.length
  }

  records(): readonly NewRecord[] {
    if (this.#samples.length > 0) this.#end()
    return this.#records
  }

  #end(): void {
    const value = `{"machineId":${JSON.stringify(this.#machineId)},"samples":[${this.#samples.join(',')}]}`
    this.#records.push({ key: this.#machineId, value: Buffer.from(value) })
    this.#samples = []
    this.#length = 0
  }
}
