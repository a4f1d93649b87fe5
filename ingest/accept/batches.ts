import type { NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import type { WireSample } from '../../schema/topics.ts'
import { CompactSamples } from '../decode/compact-samples.ts'
import type { MachineInfo } from '../decode/machine.ts'
import type { PlainAccepted } from '../decode/record.ts'

/** Samples of a record of JSON, and of a compact one. */
const maxSamples = 500
const maxCompact = 2_000
/** In UTF-16 units, of the compact form in bytes; the log takes records of up to a megabyte. */
const maxLength = 200_000

/** A sample that was accepted. */
export interface MachineSample {
  /** In lower case. */
  readonly machineId: string
  readonly machine: MachineInfo
  /** As it came. */
  readonly raw: unknown
  readonly sample: Sample
}

/** Records for samples.v1, made as samples come. Samples of a machine keep the order given, and each record fits the log. */
export interface Batches {
  add(given: MachineSample): void
  /** Adds a plain sample, in a log of compact records. */
  addPlain(plain: PlainAccepted): void
  /** All of them; ends those that are not full. */
  records(): readonly NewRecord[]
}

/** Finds the partition of a machine's samples. */
export type PartitionOf = (machine: MachineInfo, machineId: string) => number

/** Compact records of a log that nobody else reads: machines share the record of their partition. */
export class CompactBatches implements Batches {
  readonly #partitionOf: PartitionOf
  readonly #open = new Map<number, CompactSamples>()
  readonly #records: NewRecord[] = []
  /** Where the sample before went. */
  #last: CompactSamples | null = null
  #lastMachine: MachineInfo | null = null

  constructor(partitionOf: PartitionOf) {
    this.#partitionOf = partitionOf
  }

  add({ machineId, machine, sample }: MachineSample): void {
    this.#of(machineId, machine).add(sample)
  }

  addPlain(plain: PlainAccepted): void {
    this.#of(plain.machineId, plain.machine).addPlain(plain)
  }

  records(): readonly NewRecord[] {
    for (const [partition, open] of this.#open) this.#end(partition, open)
    this.#open.clear()
    return this.#records
  }

  /** The record that takes the next sample of a machine. */
  #of(machineId: string, machine: MachineInfo): CompactSamples {
    const last = this.#last
    // Most samples are of the machine of the one before.
    if (last !== null && this.#lastMachine === machine && !isFull(last)) return last
    const partition = this.#partitionOf(machine, machineId)
    let open = this.#open.get(partition)
    if (open !== undefined && isFull(open)) {
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

function isFull(open: CompactSamples): boolean {
  return open.count >= maxCompact || open.length >= maxLength
}

/** Samples that come of one machine. */
interface Own {
  batch: JsonBatch
  readonly records: NewRecord[]
}

/** Gateway batches as JSON, each of one machine and keyed by it. */
export class JsonBatches implements Batches {
  readonly #machines = new Map<string, Own>()

  /** One sample that is longer than a batch may be is a batch of its own. */
  add({ machineId, raw }: MachineSample): void {
    let own = this.#machines.get(machineId)
    if (own === undefined) this.#machines.set(machineId, (own = { batch: new JsonBatch(machineId), records: [] }))
    if (!own.batch.isFull && own.batch.add(raw)) return
    own.records.push({ key: machineId, value: own.batch.value() })
    own.batch = new JsonBatch(machineId)
    own.batch.add(raw)
  }

  addPlain(): never {
    throw new Error('invariant: a record of JSON keeps its samples as they came')
  }

  records(): readonly NewRecord[] {
    return [...this.#machines].flatMap(([machineId, { batch, records }]) =>
      batch.isEmpty ? records : records.concat({ key: machineId, value: batch.value() }),
    )
  }
}

/** Samples of one machine that become one record. */
class JsonBatch {
  readonly #machineId: string
  readonly #samples: string[] = []
  #length = 0

  constructor(machineId: string) {
    this.#machineId = machineId
  }

  get isEmpty(): boolean {
    return this.#samples.length === 0
  }

  /** Whether nothing more may be added. */
  get isFull(): boolean {
    return this.#samples.length >= maxSamples
  }

  /** false: it does not fit, and was not added. An empty batch takes any sample. */
  add(raw: unknown): boolean {
    const json = JSON.stringify(raw, wireFields)
    if (!this.isEmpty && this.#length + json.length > maxLength) return false
    this.#samples.push(json)
    this.#length += json.length
    return true
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
