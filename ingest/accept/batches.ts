import type { NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import type { WireSample } from '../../schema/topics.ts'
import { CompactSamples, type PackedPlain } from '../decode/compact-samples.ts'
import type { MachineInfo } from '../decode/machine.ts'
import type { PlainAccepted } from '../decode/record.ts'

const maxSamples = 500
/** Samples of a record of several machines. */
const maxShared = 2_000
/** In UTF-16 units, of the compact form in bytes; the log takes records of up to a megabyte. */
const maxLength = 200_000

/** A sample that was accepted. */
export interface MachineSample {
  /** In lower case. */
  readonly machineId: string
  readonly machine: MachineInfo
  /** Whether it came in no batch. */
  readonly isAlone: boolean
  /** As it came. */
  readonly raw: unknown
  readonly sample: Sample
}

/** Finds the partition of a machine's samples. */
export type PartitionOf = (machine: MachineInfo, machineId: string) => number

/** Samples of one machine that become one record. */
interface Batch {
  readonly isEmpty: boolean
  /** Whether nothing more may be added. */
  readonly isFull: boolean
  /** false: it does not fit, and was not added. An empty batch takes any sample. */
  add(given: MachineSample): boolean
  /** Only where the batch is compact. */
  addPlain(plain: PackedPlain): void
  value(): Buffer
}

/** Samples that come of one machine. */
interface Own {
  readonly machineId: string
  batch: Batch
  readonly records: NewRecord[]
}

/**
 * Gateway batches for samples.v1, made as samples come. Each batch is of one machine and keyed by it, keeps the order given and
 * fits the log. In a log that nobody else reads, samples that came alone share the record of their partition, of several machines.
 */
export class Batches {
  readonly #open: (machineId: string) => Batch
  readonly #alone: SharedBatches | null
  readonly #machines = new Map<string, Own>()
  #last: Own | null = null

  /** `partitionOf`: for a log that nobody else reads; null: as JSON. */
  constructor(partitionOf: PartitionOf | null) {
    this.#open = partitionOf ? machineId => new CompactBatch(machineId) : machineId => new JsonBatch(machineId)
    this.#alone = partitionOf && new SharedBatches(partitionOf)
  }

  /** One sample that is longer than a batch may be is a batch of its own. */
  add(given: MachineSample): void {
    const { machineId, machine, isAlone, sample } = given
    const shared = isAlone ? this.#sharedOf(machineId, machine) : null
    if (shared !== null) return shared.add(sample)
    // Most samples are of the machine of the one before.
    const own = this.#last?.machineId === machineId ? this.#last : this.#of(machineId)
    this.#last = own
    if (!own.batch.isFull && own.batch.add(given)) return
    own.records.push({ key: machineId, value: own.batch.value() })
    own.batch = this.#open(machineId)
    own.batch.add(given)
  }

  /** Adds a plain sample, in a log of compact records. */
  addPlain(plain: PlainAccepted): void {
    const { machineId, machine, isAlone } = plain
    const shared = isAlone ? this.#sharedOf(machineId, machine) : null
    if (shared !== null) return shared.addPlain(plain)
    const own = this.#last?.machineId === machineId ? this.#last : this.#of(machineId)
    this.#last = own
    if (own.batch.isFull) {
      own.records.push({ key: machineId, value: own.batch.value() })
      own.batch = this.#open(machineId)
    }
    own.batch.addPlain(plain)
  }

  /** The record for a sample that came alone; null: its machine has a batch, whose order it keeps. */
  #sharedOf(machineId: string, machine: MachineInfo): CompactSamples | null {
    if (this.#alone === null || this.#machines.has(machineId)) return null
    return this.#alone.of(machineId, machine)
  }

  #of(machineId: string): Own {
    let own = this.#machines.get(machineId)
    if (own === undefined) {
      own = { machineId, batch: this.#open(machineId), records: [] }
      this.#machines.set(machineId, own)
    }
    return own
  }

  /** All of them; ends the batches that are not full. */
  records(): readonly NewRecord[] {
    const batches = [...this.#machines].flatMap(([machineId, { batch, records }]) =>
      batch.isEmpty ? records : records.concat({ key: machineId, value: batch.value() }),
    )
    // Samples of a machine that came before its first batch stand before it.
    return this.#alone === null ? batches : this.#alone.records().concat(batches)
  }
}

/** Records of several machines, one at a time for a partition. */
class SharedBatches {
  readonly #partitionOf: PartitionOf
  readonly #open = new Map<number, CompactSamples>()
  readonly #records: NewRecord[] = []

  constructor(partitionOf: PartitionOf) {
    this.#partitionOf = partitionOf
  }

  /** The record that takes the next sample of a machine. */
  of(machineId: string, machine: MachineInfo): CompactSamples {
    const partition = this.#partitionOf(machine, machineId)
    let open = this.#open.get(partition)
    if (open !== undefined && (open.count >= maxShared || open.length >= maxLength)) {
      this.#end(partition, open)
      open = undefined
    }
    if (open === undefined) this.#open.set(partition, (open = new CompactSamples(null)))
    open.of(machineId)
    return open
  }

  records(): NewRecord[] {
    for (const [partition, open] of this.#open) this.#end(partition, open)
    this.#open.clear()
    return this.#records
  }

  #end(partition: number, open: CompactSamples): void {
    this.#records.push({ key: null, partition, value: open.bytes() })
  }
}

class JsonBatch implements Batch {
  readonly #machineId: string
  readonly #samples: string[] = []
  #length = 0

  constructor(machineId: string) {
    this.#machineId = machineId
  }

  get isEmpty(): boolean {
    return this.#samples.length === 0
  }

  get isFull(): boolean {
    return this.#samples.length >= maxSamples
  }

  add({ raw }: MachineSample): boolean {
    const json = JSON.stringify(raw, wireFields)
    if (!this.isEmpty && this.#length + json.length > maxLength) return false
    this.#samples.push(json)
    this.#length += json.length
    return true
  }

  addPlain(): never {
    throw new Error('invariant: a record of JSON keeps its samples as they came')
  }

  value(): Buffer {
    return Buffer.from(`{"machineId":${JSON.stringify(this.#machineId)},"samples":[${this.#samples.join(',')}]}`)
  }
}

/** A sample is kept as it came, but for what no sample has: decoding is the work of the log's readers. */
const wireFields = [
  'timestamp',
  'key',
  'type',
  'subtype',
  'value',
  'category',
  'nativeCode',
  'nativeSeverity',
  'qualifier',
  'message',
  'instanceId',
  'sequence',
] satisfies (keyof WireSample)[]

class CompactBatch implements Batch {
  readonly #compact: CompactSamples

  constructor(machineId: string) {
    this.#compact = new CompactSamples(machineId)
  }

  get isEmpty(): boolean {
    return this.#compact.count === 0
  }

  get isFull(): boolean {
    return this.#compact.count >= maxSamples || this.#compact.length >= maxLength
  }

  add({ sample }: MachineSample): boolean {
    this.#compact.add(sample)
    return true
  }

  addPlain(plain: PackedPlain): void {
    this.#compact.addPlain(plain)
  }

  value(): Buffer {
    return this.#compact.bytes()
  }
}
