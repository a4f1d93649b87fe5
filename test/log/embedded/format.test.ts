import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import * as fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeChunk, encodeChunk, encodedBytes } from '../../../log/embedded/chunk.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { NewerLog } from '../../../log/embedded/format.ts'
import {
  chunkKey,
  chunkRange,
  decodeOffset,
  encodeOffset,
  formatKey,
  offsetKey,
  parseChunkKey,
  parseOffsetKey,
} from '../../../log/embedded/keys.ts'

const uint = (max: number): fc.Arbitrary<number> => fc.maxSafeNat().map(value => value % (max + 1))
const word = fc.string({ unit: 'grapheme' })
const record = fc.record({
  key: fc.option(word),
  value: fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes)),
  headers: fc.dictionary(word, word, { noNullPrototype: true, maxKeys: 3 }),
})

describe('chunk', () => {
  it('A chunk of the embedded log is decoded unchanged from any offset', () => {
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 20 }),
        fc.nat(25),
        uint(2 ** 47),
        (records, skip, first) => {
          const bytes = encodeChunk(records)
          expect(bytes.length).to.be.at.most(records.reduce((sum, each) => sum + encodedBytes(each), 0))
          const origin = { topic: 't', partition: 3, first, timestampMs: 5 }
          const read = decodeChunk(bytes, origin, first + skip, 7)
          expect(read.map(({ key, value, headers }) => ({ key, value, headers }))).to.deep.equal(
            records.slice(skip, skip + 7),
          )
          expect(read.map(({ offset }) => offset - first)).to.deep.equal([...records.keys()].slice(skip, skip + 7))
        },
      ),
    )
  })
})

describe('keys', () => {
  const place = fc.tuple(uint(65_535), uint(65_535), uint(2 ** 48 - 2))

  it('Chunk keys sort by topic, partition and offset, within the ranges of reads', () => {
    fc.assert(
      fc.property(place, place, uint(2 ** 32 - 1), uint(2 ** 48 - 1), (left, right, count, timestampMs) => {
        const key = ([topic, partition, first]: typeof left): Buffer =>
          chunkKey(topic, partition, { first, count, timestampMs })
        const order = left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
        expect(Math.sign(Buffer.compare(key(left), key(right)))).to.equal(Math.sign(order))
        const { gte, lt } = chunkRange(left[0], left[1], left[2], left[2] + 1)
        expect(Buffer.compare(gte, key(left))).to.be.at.most(0)
        expect(Buffer.compare(key(left), lt)).to.equal(-1)
        expect(parseChunkKey(key(left))).to.deep.equal({ first: left[2], count, timestampMs })
      }),
    )
  })

  it('Offset keys and values are decoded unchanged', () => {
    fc.assert(
      fc.property(uint(65_535), uint(65_535), word, fc.maxSafeNat(), (topic, partition, group, offset) => {
        expect(parseOffsetKey(offsetKey(topic, partition, group))).to.deep.equal({ topic, partition, group })
        expect(decodeOffset(encodeOffset(offset))).to.equal(offset)
      }),
    )
  })
})

describe('format of the embedded log', () => {
  it('A log of a later version, or with a damaged format, is rejected; the version is stored at the first start', async () => {
    const path = mkdtempSync(join(tmpdir(), 'takt-log-format-'))
    try {
      await (await openEmbeddedLog({ path })).close()
      for (const [before, found] of [
        ['1', '2'],
        ['2', 'x'],
      ] as const) {
        const db = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
        expect((await db.get(formatKey))?.toString()).to.equal(before)
        await db.put(formatKey, Buffer.from(found))
        await db.close()
        const error: unknown = await openEmbeddedLog({ path }).catch((error: unknown) => error)
        expect(error).to.be.instanceOf(NewerLog)
        expect(String(error)).to.include(`has format ${found}, this version reads 1`)
      }
    } finally {
      rmSync(path, { recursive: true, force: true })
    }
  })
})
