import type { NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import { CompactSamples } from '../decode/compact-writer.ts'
import type { MachineInfo } from '../decode/machine.ts'
import type { AcceptedPlain } from '../decode/validate.ts'

/** Finds the partition of a machine's samples; the machine's id is in lower case. */
export type PartitionOf = (machine: MachineInfo, machineId: string) => number

/**
 * Builds records for samples.v1: machines of one partition share records. Samples of a machine keep their order, and
 * each record fits the log.
 */
export class Batches {
  readonly #partitionOf: PartitionOf
  readonly #open = new Map<number, CompactSamples>()
  readonly #records: NewRecord[] = []
  /** Record of the previous sample. */
  #last: CompactSamples | null = null
  #lastMachine: MachineInfo | null = null

  constructor(partitionOf: PartitionOf) {
    this.#partitionOf = partitionOf
  }

  /** `machineId`: in lower case. */
  add(machineId: string, machine: MachineInfo, sample: Sample): void {
    this.#of(machineId, machine).add(sample)
  }

  /** Adds a plain sample. */
  addPlain(plain: AcceptedPlain): void {
    this.#of(plain.machineId, plain.machine).addPlain(plain)
  }

  /** Completes and returns all records. */
  records(): readonly NewRecord[] {
    for (const [partition, open] of this.#open) this.#end(partition, open)
    this.#open.clear()
    return this.#records
  }

  /** Returns the record for the next sample of a machine. */
  #of(machineId: string, machine: MachineInfo): CompactSamples {
    const last = this.#last
    // Most samples have the same machine as the previous one.
    if (last !== null && this.#lastMachine === machine && !last.isFull) return last
    const partition = this.#partitionOf(machine, machineId)
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
