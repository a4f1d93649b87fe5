import type { NewRecord } from '../../log/log.ts'
import { type MachineRef, noMachine } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import { CompactSamples, hasRefs } from '../decode/compact-writer.ts'
import { readCompact } from '../decode/compact.ts'
import type { Accepted } from '../decode/validate.ts'
import type { PackedSamples } from '../decode/compact-columns.ts'

/**
 * Live values of a slice: records of live.v1 of compact samples, with machines by ref. A record of the log that was
 * accepted as a whole is passed on unchanged.
 */
export class LiveValues {
  readonly #values: Buffer[] = []
  #open: CompactSamples | null = null
  #machine: MachineRef | null = null

  addPacked({ machines, bytes }: PackedSamples): void {
    if (hasRefs(bytes)) {
      this.#end()
      this.#values.push(bytes)
    } else readCompact(bytes).each((sample, place) => this.#add(machines[place]?.ref ?? noMachine, sample))
  }

  add(accepted: readonly Accepted[]): void {
    for (const { sample } of accepted) this.#add(sample.machineRef, sample)
  }

  #add(machine: MachineRef, sample: Omit<Sample, 'machineRef'>): void {
    if (this.#open?.isFull === true) this.#end()
    const open = (this.#open ??= new CompactSamples(null))
    if (machine !== this.#machine) open.of(machine)
    this.#machine = machine
    open.add(sample)
  }

  /** Completes and returns all records, in one partition because their order matters. Must be the last call. */
  records(partition: number): readonly NewRecord[] {
    this.#end()
    return this.#values.map(value => ({ key: null, partition, value }))
  }

  #end(): void {
    if (this.#open !== null) this.#values.push(this.#open.bytes())
    this.#open = null
    this.#machine = null
  }
}
