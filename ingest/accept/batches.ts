import type { NewRecord } from '../../log/log.ts'
import { partitionOfKey } from '../../log/partitioner.ts'
import { CompactSamples } from '../decode/compact-writer.ts'
import type { Accepted, MachineInfo, PlainSample } from '../decode/validate.ts'

/** Caches the partitions of machines: the hash takes longer than the rest of a sample's processing. */
export class Partitions {
  #count = 0
  #known = new WeakMap<MachineInfo, number>()

  /** Returns the lookup of partitions for this number, equal to the log's choice for the machine id in lower case as key. */
  among(count: number): (machine: MachineInfo) => number {
    if (count !== this.#count) this.#known = new WeakMap()
    this.#count = count
    const known = this.#known
    return machine => {
      let partition = known.get(machine)
      if (partition === undefined) known.set(machine, (partition = partitionOfKey(machine.id.toLowerCase(), count)))
      return partition
    }
  }
}

/**
 * Builds records for samples.v1: machines of one partition share records. Samples of a machine keep their order, and
 * each record fits the log.
 */
export class Batches {
  count = 0
  /** Time of the oldest sample, UTC µs. */
  oldestUs = Infinity
  readonly #partitionOf: (machine: MachineInfo) => number
  readonly #open = new Map<number, CompactSamples>()
  readonly #records: NewRecord[] = []
  #last: CompactSamples | null = null
  #lastMachine: MachineInfo | null = null

  constructor(partitionOf: (machine: MachineInfo) => number) {
    this.#partitionOf = partitionOf
  }

  add({ machine, sample }: Accepted): void {
    this.oldestUs = Math.min(this.oldestUs, sample.atUs)
    this.#of(machine).add(sample)
  }

  addPlain(plain: PlainSample): void {
    this.oldestUs = Math.min(this.oldestUs, plain.atUs)
    this.#of(plain.machine).addPlain(plain)
  }

  records(): readonly NewRecord[] {
    for (const [partition, open] of this.#open) this.#end(partition, open)
    this.#open.clear()
    return this.#records
  }

  /** Returns the record for the next sample of a machine. */
  #of(machine: MachineInfo): CompactSamples {
    this.count++
    const last = this.#last
    // Most samples have the same machine as the previous one.
    if (last !== null && this.#lastMachine === machine && !last.isFull) return last
    const partition = this.#partitionOf(machine)
    let open = this.#open.get(partition)
    if (open !== undefined && open.isFull) {
      this.#end(partition, open)
      open = undefined
    }
    if (open === undefined) this.#open.set(partition, (open = new CompactSamples(null)))
    open.of(machine.ref)
    this.#last = open
    this.#lastMachine = machine
    return open
  }

  #end(partition: number, open: CompactSamples): void {
    this.#records.push({ key: null, partition, value: open.bytes() })
  }
}
