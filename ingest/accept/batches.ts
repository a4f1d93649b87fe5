import type { NewRecord } from '../../log/log.ts'
import type { Sample } from '../../schema/sample.ts'
import type { WireSample } from '../../schema/topics.ts'
import { CompactSamples, type PackedPlain } from '../decode/compact-samples.ts'
import type { PlainAccepted } from '../decode/record.ts'

const maxSamples = 500
/** In UTF-16 units, of the compact form in bytes; the log takes records of up to a megabyte. */
const maxLength = 200_000

/** A sample that was accepted. */
export interface MachineSample {
  /** In lower case. */
  readonly machineId: string
  /** As it came. */
  readonly raw: unknown
  readonly sample: Sample
}

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
 * fits the log.
 */
export class Batches {
  readonly #open: (machineId: string) => Batch
  readonly #machines = new Map<string, Own>()
  #last: Own | null = null

  /** `isCompact`: for a log that nobody else reads; else as JSON. */
  constructor(isCompact: boolean) {
    this.#open = isCompact ? machineId => new CompactBatch(machineId) : machineId => new JsonBatch(machineId)
  }

  /** One sample that is longer than a batch may be is a batch of its own. */
  add(given: MachineSample): void {
    const { machineId } = given
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
    const { machineId } = plain
    const own = this.#last?.machineId === machineId ? this.#last : this.#of(machineId)
    this.#last = own
    if (own.batch.isFull) {
      own.records.push({ key: machineId, value: own.batch.value() })
      own.batch = this.#open(machineId)
    }
    own.batch.addPlain(plain)
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
    return [...this.#machines].flatMap(([machineId, { batch, records }]) =>
      batch.isEmpty ? records : records.concat({ key: machineId, value: batch.value() }),
    )
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
