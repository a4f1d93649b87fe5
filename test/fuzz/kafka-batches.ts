import type { Random } from '../../demo/simulate/random.ts'
import {
  type BatchOptions,
  type Codec,
  codecs,
  compressWith,
  markerBatch,
  type RawRecord,
  recordBatch,
  recordBytes,
} from '../support/record-batch.ts'

/** A batch of the fuzz, with what a reader must find in it. */
export interface FuzzBatch {
  readonly kind: string
  /** The batch that the broker is sent. */
  readonly sent: Buffer
  /** The batch that takes its place in the broker's file, of the same length; null: the sent one stays. */
  readonly stored: Buffer | null
  /** Number of offsets. */
  readonly records: number
  /** Samples that must reach the store. */
  readonly counted: number
  /** Whether readers skip all of it. */
  readonly isControl: boolean
}

/** Ids of two machines: each part of `counted` must be counted; samples of `attacked` may be damaged. */
export interface FuzzMachines {
  readonly counted: string
  readonly attacked: string
}

/** The time of the broker, which Takt requires. */
const logAppendTime = 0x08
const maxRecords = 30
/** Far below the 8 MiB that a topic accepts. */
const maxPlainBytes = 500_000
/** The largest one that a broker with a small heap accepts. */
const bombBytes = [48 << 20, 72 << 20, 100 << 20] as const

/** Creates random batches: sound ones with odd records, and ones that no broker accepts, such as damaged and control batches. */
export class BatchMaker {
  readonly #random: Random
  readonly #machines: FuzzMachines
  readonly #startMs: number
  readonly #bombs = new Map<string, Buffer>()
  #parts = 0

  /** `startMs`: time of the first sample, UTC ms; each further one is 10 ms later. */
  constructor(random: Random, machines: FuzzMachines, startMs: number) {
    this.#random = random
    this.#machines = machines
    this.#startMs = startMs
  }

  /** Time of the next sample, UTC ms. */
  get nextMs(): number {
    return this.#startMs + this.#parts * 10
  }

  /** One batch of each kind with each codec. */
  *each(): Generator<FuzzBatch> {
    for (const codec of codecs) {
      yield this.#plain(codec)
      yield this.#damaged(codec)
      yield this.#wrongChecksum(codec)
      yield this.#wrongCount(codec)
      yield this.#wrongAttributes(codec)
      if (codec === 'none') continue
      yield this.#bomb(codec)
      yield this.#large(codec)
    }
    yield this.#control()
    yield this.#many('gzip')
    yield this.#manyHeaders('zstd')
  }

  next(): FuzzBatch {
    const random = this.#random
    const codec = random.pick(codecs)
    const compressing = codec === 'none' ? 'lz4' : codec
    const dice = random.integer(0, 100)
    if (dice < 40) return this.#plain(codec)
    if (dice < 72) return this.#damaged(codec)
    if (dice < 77) return this.#wrongChecksum(codec)
    if (dice < 84) return this.#wrongCount(codec)
    if (dice < 88) return this.#wrongAttributes(codec)
    if (dice < 95) return this.#control()
    if (dice < 96) return this.#bomb(compressing)
    if (dice < 98) return this.#large(compressing)
    if (dice < 99) return this.#many(compressing)
    return this.#manyHeaders(codec)
  }

  #plain(codec: Codec): FuzzBatch {
    const records: (readonly [RawRecord, number])[] = []
    const count = this.#random.integer(1, maxRecords)
    for (let bytes = 0; records.length < count && bytes < maxPlainBytes;) {
      const made = this.#record()
      records.push(made)
      bytes += recordBytes([made[0]]).length
    }
    return {
      ...this.#sent(
        'plain',
        records.map(([record]) => record),
        { codec },
      ),
      counted: sum(records),
    }
  }

  /** A record, and how many of its samples must be counted. */
  #record(): readonly [RawRecord, number] {
    const random = this.#random
    const key = random.pick([null, Buffer.alloc(0), Buffer.from('k'), Buffer.from([0xff, 0xc0]), Buffer.alloc(20_000)])
    const shape = { key, headers: this.#headers() }
    if (random.chance(0.4)) return [{ ...shape, value: this.#part() }, 1]
    return [{ ...shape, value: this.#oddValue() }, 0]
  }

  #headers(): NonNullable<RawRecord['headers']> {
    const random = this.#random
    const names = ['', 'a', 'a', '__proto__', 'trace', 'x'.repeat(5_000), Buffer.from([0xff, 0xfe])] as const
    const values = [null, Buffer.alloc(0), Buffer.from('v'), Buffer.from([0xc3]), Buffer.alloc(70_000)] as const
    const count = random.pick([0, 0, 0, 1, 3, 150])
    // A few of them: large headers would make the batch too large for the broker.
    return Array.from({ length: count }, (_, at) => [random.pick(names), at < 2 ? random.pick(values) : null] as const)
  }

  #oddValue(): Buffer | null {
    const random = this.#random
    switch (random.integer(0, 8)) {
      case 0:
        return null
      case 1:
        return Buffer.alloc(0)
      case 2:
        return this.#bytes(random.integer(1, 2_000))
      case 3:
        return Buffer.concat([Buffer.from([random.integer(1, 4)]), this.#bytes(random.integer(1, 200))])
      case 4:
        return Buffer.from('['.repeat(random.pick([10, 5_000])))
      case 5:
        return Buffer.from(this.#attackedPart().toString().replace('parts', 'p\u0000'))
      case 6: {
        const text = this.#attackedPart()
        text[random.integer(0, text.length)] = 0xff
        return text
      }
      default:
        return this.#attackedPart()
    }
  }

  /** The payload has bits flipped, is cut off, or has other bytes in a range; the checksum is that of the damaged bytes. */
  #damaged(codec: Codec): FuzzBatch {
    const random = this.#random
    const count = random.integer(1, maxRecords)
    const payload = compressWith(codec, recordBytes(this.#attackedRecords(count)))
    const at = random.integer(0, payload.length)
    switch (random.integer(0, 4)) {
      case 0:
      case 1:
        for (let times = random.pick([1, 1, 2, 20]); times > 0; times--) {
          const place = random.integer(0, payload.length)
          payload[place] = (payload[place] ?? 0) ^ (1 << random.integer(0, 8))
        }
        break
      case 2:
        return this.#stored('cut off', count, { codec, payload: payload.subarray(0, at) })
      default:
        this.#bytes(random.integer(1, 40)).copy(payload, at)
    }
    return this.#stored('damaged', count, { codec, payload })
  }

  #wrongChecksum(codec: Codec): FuzzBatch {
    const random = this.#random
    const count = random.integer(1, maxRecords)
    const checksum = random.integer(0, 2 ** 32)
    const lastOffsetDelta = random.pick([-1, 0, count - 1, count + 3, 2 ** 31 - 1])
    return this.#stored('wrong checksum', count, {
      codec,
      checksum,
      lastOffsetDelta,
      attributes: random.pick([0, 0x20]),
    })
  }

  #wrongCount(codec: Codec): FuzzBatch {
    const records = this.#random.integer(1, maxRecords)
    const count = this.#random.pick([-(2 ** 31), -1, 0, 1, records - 1, records + 1, 2 ** 31 - 1])
    return this.#stored('wrong count', records, { codec, count })
  }

  /** Unknown codecs, a codec that is not the payload's, bits that have no meaning, and records of a transaction without an end. */
  #wrongAttributes(codec: Codec): FuzzBatch {
    const attributes = this.#random.pick([1, 2, 3, 4, 5, 6, 7, 0x10, 0x40, 0x7f80 & ~0x20])
    return this.#stored('wrong attributes', this.#random.integer(1, maxRecords), { codec, attributes, producerId: 7n })
  }

  #control(): FuzzBatch {
    const random = this.#random
    const options = { producerId: random.pick([-1n, 7n]), attributes: random.pick([0x20, 0x30]) | logAppendTime }
    const payload = random.chance(0.5) ? { payload: this.#bytes(random.integer(10, 40)) } : {}
    const stored = markerBatch(random.pick(['abort', 'commit']), { ...options, ...payload })
    return { kind: 'control', sent: carrierOf(1, stored.length), stored, records: 1, counted: 0, isControl: true }
  }

  /** Zeros, of which a codec makes very few bytes; more than a reader accepts. */
  #bomb(codec: Codec): FuzzBatch {
    return this.#sent('bomb', [{}], { codec, payload: this.#zeros(codec, this.#random.pick(bombBytes)) })
  }

  /** One record with a value close to the limit of a batch. */
  #large(codec: Codec): FuzzBatch {
    return this.#sent('large', [{}], { codec, payload: this.#zeros(codec, this.#random.pick([9 << 20, 31 << 20])) })
  }

  #zeros(codec: Codec, bytes: number): Buffer {
    const key = `${codec} ${bytes}`
    let payload = this.#bombs.get(key)
    if (!payload) {
      const value = Buffer.alloc(bytes, this.#random.pick([0, 32, 91]))
      payload = compressWith(codec, recordBytes([{ value }]))
      this.#bombs.set(key, payload)
    }
    return payload
  }

  #many(codec: Codec): FuzzBatch {
    const values = [null, Buffer.alloc(0), Buffer.from('x')] as const
    const records = Array.from({ length: 2_000 }, () => ({ value: this.#random.pick(values) }))
    return this.#sent('many records', records, { codec })
  }

  #manyHeaders(codec: Codec): FuzzBatch {
    const headers = Array.from({ length: 60_000 }, (_, at) => [`h${at % 9}`, null] as const)
    return { ...this.#sent('many headers', [{ value: this.#part(), headers }], { codec }), counted: 1 }
  }

  #attackedRecords(count: number): readonly RawRecord[] {
    return Array.from({ length: count }, () => ({ key: Buffer.from('k'), value: this.#attackedPart() }))
  }

  /** A sample of one part. */
  #part(machineId = this.#machines.counted): Buffer {
    const timestamp = new Date(this.#startMs + this.#parts++ * 10).toISOString()
    return Buffer.from(JSON.stringify({ machineId, timestamp, key: 'parts', type: 'PART_COUNT', value: 1 }))
  }

  #attackedPart(): Buffer {
    return this.#part(this.#machines.attacked)
  }

  #bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.#random.integer(0, 256)))
  }

  #sent(kind: string, records: readonly RawRecord[], options: BatchOptions): FuzzBatch {
    const sent = recordBatch(records, options)
    return { kind, sent, stored: null, records: records.length, counted: 0, isControl: false }
  }

  #stored(kind: string, records: number, { codec = 'none', attributes = 0, ...options }: BatchOptions): FuzzBatch {
    const payload = options.payload ?? compressWith(codec, recordBytes(this.#attackedRecords(records)))
    const padding = Buffer.alloc(Math.max(0, minBytes(records) - payload.length))
    const stored = recordBatch([], {
      codec,
      count: records,
      lastOffsetDelta: records - 1,
      ...options,
      attributes: attributes | logAppendTime,
      payload: Buffer.concat([payload, padding]),
    })
    return { kind, sent: carrierOf(records, stored.length), stored, records, counted: 0, isControl: false }
  }
}

function sum(records: readonly (readonly [RawRecord, number])[]): number {
  return records.reduce((total, [, counted]) => total + counted, 0)
}

const headerBytes = 61
const recordMinBytes = 10

function minBytes(records: number): number {
  return records * recordMinBytes + 20
}

/** A sound batch of this length with this number of records. */
function carrierOf(records: number, length: number): Buffer {
  const empty = Array.from({ length: records - 1 }, () => ({ value: Buffer.alloc(0) }))
  // The number of a record has one byte, as there are fewer than 64.
  const left = length - headerBytes - recordBytes(empty).length
  // The lengths of record and value take one byte to four: the key makes up for the lengths that no value gives.
  for (let keyBytes = 0; keyBytes < 8; keyBytes++)
    for (let valueBytes = Math.max(0, left - keyBytes - 20); valueBytes <= left; valueBytes++) {
      const last = { key: Buffer.alloc(keyBytes), value: Buffer.alloc(valueBytes) }
      if (recordBytes([last]).length === left) return recordBatch([...empty, last])
    }
  throw new Error(`No batch of ${records} records has ${length} bytes`)
}
