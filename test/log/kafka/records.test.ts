import { createRequire } from 'node:module'
import { expect } from 'chai'
import {
  type BatchMessage,
  batchMessagesOf,
  boundDamagedOffsets,
  patchFetchResponses,
} from '../../../log/kafka/fetch-response.ts'
import type { LogRecord } from '../../../log/log.ts'
import { batchLimits, openBatch, splitBatches } from '../../../log/kafka/record-batch.ts'
import { Malformed } from '../../../log/kafka/malformed.ts'
import { RecordCursor } from '../../../log/kafka/record-cursor.ts'
import {
  type Codec,
  codecs,
  compressWith,
  initializeZstd,
  markerBatch,
  recordBatch,
  recordBytes,
  varint,
} from '../../support/record-batch.ts'

/** Returns all records of the batches in these bytes. */
async function readAll(bytes: Buffer): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = []
  for (const batch of splitBatches(bytes)) {
    const cursor = new RecordCursor(await openBatch(batch), { topic: 't', partition: 0 })
    for (let record = cursor.next(); record; record = cursor.next()) records.push(record)
  }
  return records
}

async function malformed(bytes: Buffer): Promise<string> {
  try {
    await readAll(bytes)
    return 'none'
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}

const compressing = codecs.filter(codec => codec !== 'none')

describe('records of a Kafka batch', () => {
  before(initializeZstd)
  it('A header with the value null is an empty string, and the first of equal names counts', async () => {
    const headers = [
      ['trace', null],
      ['a', Buffer.from('1')],
      ['a', Buffer.from('2')],
      ['__proto__', Buffer.from('x')],
    ] as const
    const [record] = await readAll(recordBatch([{ key: Buffer.from('k'), value: Buffer.from('v'), headers }]))
    expect(record).to.deep.include({ key: 'k', value: Buffer.from('v'), offset: 0 })
    expect(Object.entries(record?.headers ?? {})).to.have.deep.members([
      ['trace', ''],
      ['a', '1'],
      ['__proto__', 'x'],
    ])
  })

  it('60,000 headers are read in less than a second, and those beyond the limit are ignored', async () => {
    const headers = Array.from({ length: 60_000 }, (_, index) => [`h${index}`, Buffer.from('v')] as const)
    const batch = recordBatch([{ value: Buffer.from('v'), headers }])
    const before = process.cpuUsage()
    const [record] = await readAll(batch)
    expect(process.cpuUsage(before).user / 1000).to.be.below(1_000)
    expect(Object.keys(record?.headers ?? {})).to.have.lengthOf(100)
    expect(record?.value.toString()).to.equal('v')
  })

  it('A null key is kept, and a null value is a tombstone', async () => {
    const [withoutKey, tombstone] = await readAll(recordBatch([{ value: Buffer.from('v') }, { key: Buffer.from('k') }]))
    expect(withoutKey).to.include({ key: null }).and.not.have.property('defect')
    expect(tombstone).to.deep.include({ key: 'k', offset: 1, defect: { kind: 'tombstone', firstOffset: 1 } })
  })

  for (const codec of compressing) {
    it(`Records compressed with ${codec} are decoded unchanged`, async () => {
      const values = Array.from({ length: 300 }, (_, index) => `${index} `.repeat(index) + 'z'.repeat(index * 7))
      const read = await readAll(
        recordBatch(
          values.map(value => ({ value: Buffer.from(value) })),
          { codec, firstOffset: 7 },
        ),
      )
      expect(read.map(({ value }) => value.toString())).to.deep.equal(values)
      expect(read.map(({ offset }) => offset)).to.deep.equal(values.map((_, index) => index + 7))
    })

    it(`A record compressed with ${codec} that expands to 256 MiB is rejected with little memory and time`, async function () {
      const batch = recordBatch([{}], { codec, payload: bombOf(codec, 256 << 20) })
      const [cpuBefore, rssBefore] = [process.cpuUsage(), process.memoryUsage.rss()]
      expect(await malformed(batch)).to.match(/decompress to more than 33554432 bytes/)
      const { user, system } = process.cpuUsage(cpuBefore)
      expect(user + system).to.be.below(5_000_000)
      expect(process.memoryUsage.rss() - rssBefore).to.be.below(300 << 20)
    })

    it(`The records of a batch compressed with ${codec} may expand to 32 MiB`, async function () {
      const fits = recordBytes([{ value: Buffer.alloc(batchLimits.bytes - 20) }])
      expect(fits.length).to.be.within(batchLimits.bytes - 20, batchLimits.bytes)
      const value = (await readAll(recordBatch([{}], { codec, payload: compressWith(codec, fits) })))[0]?.value
      expect(value?.length).to.equal(batchLimits.bytes - 20)
      const exceeds = Buffer.concat([fits, Buffer.alloc(batchLimits.bytes - fits.length + 1)])
      expect(await malformed(recordBatch([{}], { codec, payload: compressWith(codec, exceeds) }))).to.match(/more than/)
    })

    it(`Damaged and truncated bytes of ${codec} are malformed or yield records, and never hang`, async function () {
      const values = Array.from({ length: 40 }, (_, index) => ({
        value: Buffer.from('ab'.repeat(index) + 'c'.repeat(99)),
      }))
      const payload = compressWith(codec, recordBytes(values))
      for (let at = 0; at < payload.length; at++) {
        const damaged = Buffer.from(payload)
        damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8))
        await malformed(recordBatch(values, { codec, payload: damaged }))
        await malformed(recordBatch(values, { codec, payload: payload.subarray(0, at) }))
      }
    })
  }

  it('A snappy literal with a length that is negative in 32 bits is malformed', async () => {
    const payload = Buffer.from([4, 0xfc, 0xfa, 0xff, 0xff, 0xff, 1, 2, 3, 4])
    expect(await malformed(recordBatch([{}], { codec: 'snappy', payload }))).to.equal('A snappy block is cut off')
  })

  it('A batch with a wrong checksum, another format or a truncated header is malformed', async () => {
    expect(await malformed(recordBatch([{ value: Buffer.from('v') }], { checksum: 1 }))).to.match(/checksum/)
    const old = recordBatch([{ value: Buffer.from('v') }])
    old.writeInt8(1, 16)
    expect(await malformed(old)).to.equal('Record format 1 is not supported')
    expect(await malformed(recordBatch([{}]).subarray(0, 40))).to.match(/cut off/)
    expect(await malformed(recordBatch([{}], { lastOffsetDelta: -5 }))).to.match(/offsets/)
  })

  it('A truncated last batch of a fetch is left out, unless it is the only one', async () => {
    const first = recordBatch([{ value: Buffer.from('a') }])
    const second = recordBatch([{ value: Buffer.from('b') }], { firstOffset: 1 })
    const cut = Buffer.concat([first, second.subarray(0, second.length - 3)])
    expect(splitBatches(cut).map(({ firstOffset }) => firstOffset)).to.deep.equal([0])
    expect(await malformed(second.subarray(0, second.length - 3))).to.equal('The batch is cut off')
  })

  it('A damaged last offset of a batch skips no batch behind it', () => {
    const batch = (firstOffset: number, options: Parameters<typeof recordBatch>[1] = {}) =>
      recordBatch([{ value: Buffer.from('a') }, { value: Buffer.from('b') }], { firstOffset, ...options })
    const bounded = (batches: readonly Buffer[], highWatermark = 1000) =>
      boundDamagedOffsets(
        splitBatches(Buffer.concat(batches)).map(rawBatch => ({
          offset: String(rawBatch.lastOffset),
          rawBatch,
          isSkipped: false,
        })),
        highWatermark,
      ).map(({ offset, rawBatch }) => [rawBatch.firstOffset, rawBatch.lastOffset, Number(offset)])

    for (const lastOffsetDelta of [-1, 0, 7, 2 ** 31 - 1]) {
      const damaged = batch(2, { lastOffsetDelta, checksum: 1 })
      const sound = [
        [0, 1, 1],
        [2, 3, 3],
        [4, 5, 5],
      ]
      expect(bounded([batch(0), damaged, batch(4)])).to.deep.equal(sound)
      expect(bounded([batch(0), damaged]), 'the next fetch begins with it').to.deep.equal([[0, 1, 1]])
    }
    expect(bounded([batch(2, { lastOffsetDelta: 7_000, checksum: 1 })])).to.deep.equal([[2, 999, 999]])
    // A gap after compaction.
    expect(bounded([batch(0, { lastOffsetDelta: 6 }), batch(9)])).to.deep.equal([
      [0, 6, 6],
      [9, 10, 10],
    ])
  })

  it('A damaged record has a defect, and the records around it are read', async () => {
    const bytes = [recordBytes([{ value: Buffer.from('a') }]), Buffer.concat([varint(4), Buffer.from([0, 0, 2, 99])])]
    const last = Buffer.from(recordBytes([{ value: Buffer.from('c') }]))
    // The offset of the damaged record is 2.
    last[3] = 4
    const read = await readAll(recordBatch([{}, {}, {}], { payload: Buffer.concat([...bytes, last]) }))
    expect(read.map(({ offset, defect }) => [offset, defect?.kind])).to.deep.equal([
      [0, undefined],
      [1, 'undecodable'],
      [2, undefined],
    ])
  })

  it('A damaged length is a defect of all later offsets, and so are records beyond the limit or the declared count', async () => {
    const sound = recordBytes([{ value: Buffer.from('a') }])
    const defectOf = async (batch: Buffer) =>
      (await readAll(batch)).map(({ offset, defect }) => [offset, defect?.firstOffset])
    const cut = Buffer.concat([sound, varint(1_000), Buffer.from('x')])
    expect(await defectOf(recordBatch([{}, {}, {}, {}], { payload: cut }))).to.deep.equal([
      [0, undefined],
      [3, 1],
    ])
    const more = recordBytes([{ value: Buffer.from('a') }, { value: Buffer.from('b') }])
    const declared = recordBatch([], { payload: more, count: 1, lastOffsetDelta: 1 })
    expect(await defectOf(declared)).to.deep.equal([
      [0, undefined],
      [1, 1],
    ])
    const count = batchLimits.records + 10
    const payload = compressWith('gzip', emptyRecords(count))
    const read = await readAll(recordBatch([], { codec: 'gzip', payload, count, lastOffsetDelta: count - 1 }))
    expect(read).to.have.lengthOf(batchLimits.records + 1)
    expect(read.at(-1)).to.deep.include({
      offset: count - 1,
      defect: {
        kind: 'undecodable',
        firstOffset: batchLimits.records,
        message: 'The batch has more than 200000 records',
      },
    })
  })

  it('A record with the offset of a later one is a defect, and the records behind it are read', async () => {
    const records = ['a', 'b', 'c', 'd'].map(value => ({ value: Buffer.from(value) }))
    const payload = recordBytes(records)
    const bytesOfRecord = payload.length / records.length
    // Length, attributes and time precede the offset.
    varint(3).copy(payload, bytesOfRecord + 3)
    const read = await readAll(recordBatch(records, { payload }))
    expect(read.map(({ offset, value, defect }) => [offset, value.toString(), defect?.kind])).to.deep.equal([
      [0, 'a', undefined],
      [1, '', 'undecodable'],
      [2, 'c', undefined],
      [3, 'd', undefined],
    ])
  })

  it('Readers of committed records skip markers, and the batches of an aborted transaction up to its marker', async () => {
    const batch = (firstOffset: number, producerId: bigint, attributes = 0x10) =>
      recordBatch([{ value: Buffer.from('v') }], { firstOffset, producerId, attributes })
    const marker = (type: 'abort' | 'commit', firstOffset: number, producerId: bigint) =>
      markerBatch(type, { firstOffset, producerId })
    const fetched = [
      // Both transactions began before the fetch.
      batch(10, 2n),
      batch(11, 1n),
      batch(12, 3n),
      batch(13, -1n, 0),
      marker('abort', 14, 1n),
      batch(15, 1n),
      marker('commit', 16, 1n),
      marker('abort', 17, 2n),
      batch(18, 2n),
      marker('commit', 19, 2n),
    ]
    const response = await decodeFetch(Buffer.concat(fetched), [
      { producerId: 1n, firstOffset: 5 },
      { producerId: 2n, firstOffset: 7 },
    ])
    expect(response.filter(({ isSkipped }) => !isSkipped).map(({ offset }) => offset)).to.deep.equal([
      '12',
      '13',
      '15',
      '18',
    ])
    expect(response.at(-1)?.offset).to.equal('19')
  })

  it('A batch whose records were compacted away has no records', async () => {
    expect(await readAll(recordBatch([], { lastOffsetDelta: 9 }))).to.deep.equal([])
  })
})

/** Returns a payload of the codec that decompresses to the given number of zeros. */
function bombOf(codec: Codec, bytes: number): Buffer {
  return compressWith(codec, Buffer.alloc(bytes))
}

/** Records without a key and with empty values. */
function emptyRecords(count: number): Buffer {
  const bytes = Buffer.alloc(count * 10)
  let to = 0
  for (let index = 0; index < count; index++) {
    const delta = varint(index)
    // Length, attributes, time, offset, key -1, value 0, headers 0.
    to += Buffer.from([(5 + delta.length) * 2, 0, 0, ...delta, 1, 0, 0]).copy(bytes, to)
  }
  return bytes.subarray(0, to)
}

/** Returns the batches that kafkajs passes on for a fetch of one partition (version 4). */
async function decodeFetch(
  bytes: Buffer,
  aborted: readonly { readonly producerId: bigint; readonly firstOffset: number }[],
): Promise<readonly BatchMessage[]> {
  patchFetchResponses()
  const int32 = (value: number) => Buffer.from(Int32Array.of(value).buffer).swap32()
  const int64 = (value: bigint) => Buffer.from(BigInt64Array.of(value).buffer).swap64()
  const response = Buffer.concat([
    int32(0),
    int32(1),
    Buffer.from([0, 1]),
    Buffer.from('t'),
    int32(1),
    int32(0),
    Buffer.alloc(2),
    int64(20n),
    int64(20n),
    int32(aborted.length),
    ...aborted.flatMap(({ producerId, firstOffset }) => [int64(producerId), int64(BigInt(firstOffset))]),
    int32(bytes.length),
    bytes,
  ])
  const module: ResponseModule = createRequire(import.meta.url)('kafkajs/src/protocol/requests/fetch/v4/response')
  const { responses } = await module.decode(response)
  return batchMessagesOf(responses[0]?.partitions[0]?.messages ?? [])
}

interface ResponseModule {
  decode(bytes: Buffer): Promise<{
    readonly responses: readonly { readonly partitions: readonly { readonly messages: readonly object[] }[] }[]
  }>
}
