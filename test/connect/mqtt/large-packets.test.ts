import { assert } from 'chai'
import * as fc from 'fast-check'
import { Readable } from 'node:stream'
import { LargePackets } from '../../../connect/mqtt/large-packets.ts'

interface TestPacket {
  readonly type: number
  readonly body: Buffer
}

const mebibyte = 1 << 20

/** Encodes packets as the standard says: type, length in groups of 7 bits, body. */
function encode(packets: readonly TestPacket[]): Buffer {
  return Buffer.concat(
    packets.flatMap(({ type, body }) => {
      const length: number[] = []
      let rest = body.length
      do {
        const isLast = rest < 128
        length.push((rest % 128) + (isLast ? 0 : 128))
        rest = Math.floor(rest / 128)
      } while (rest > 0)
      return [Buffer.from([type, ...length]), body]
    }),
  )
}

function decode(bytes: Buffer): readonly TestPacket[] {
  const packets: TestPacket[] = []
  for (let at = 0; at < bytes.length;) {
    const type = bytes[at++] ?? 0
    let length = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++] ?? 0
      length += (byte % 128) * unit
      if (byte < 128) break
    }
    packets.push({ type, body: bytes.subarray(at, at + length) })
    at += length
  }
  return packets
}

/** Passes bytes through in chunks whose lengths repeat. */
async function pass(bytes: Buffer, chunkLengths: readonly number[], onBytes = () => undefined): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = chunkLengths[i % chunkLengths.length] ?? 1
    chunks.push(Buffer.from(bytes.subarray(at, at + length)))
    at += length
  }
  const passed: Buffer[] = []
  for await (const part of Readable.from(chunks).pipe(new LargePackets(onBytes))) passed.push(part)
  return Buffer.concat(passed)
}

/** A body whose bytes depend on their place. */
function bodyOf(length: number): Buffer {
  const body = Buffer.alloc(length)
  for (let i = 0; i < Math.min(length, 300); i++) body[i] = (i * 7) % 256
  if (length > 300) body.fill(Buffer.from('abcdefghijk'), 300)
  return body
}

describe('large packets of a broker', () => {
  it('Packets below 4 MiB stay as they are, and the others are cut, in chunks of any length', async () => {
    const length = fc.oneof(
      { weight: 8, arbitrary: fc.nat(300) },
      { weight: 2, arbitrary: fc.constantFrom(127, 128, 16_383, 16_384, 65_536) },
      { weight: 1, arbitrary: fc.constantFrom(2 * mebibyte - 1, 2 * mebibyte, 4 * mebibyte - 1, 4 * mebibyte) },
      { weight: 1, arbitrary: fc.integer({ min: 4 * mebibyte, max: 9 * mebibyte }) },
    )
    const packet = fc.record({ type: fc.constantFrom(0x30, 0x32, 0x3a, 0x40, 0x90, 0xd0), length })
    const chunkLengths = fc.array(fc.constantFrom(1, 2, 3, 5, 100, 65_536, 10 * mebibyte), { minLength: 1 })
    let cut = 0
    const check = fc.asyncProperty(fc.array(packet, { maxLength: 8 }), chunkLengths, async (sent, chunks) => {
      const packets = sent.map(each => ({ type: each.type, body: bodyOf(each.length) }))
      // Chunks of a few bytes only would take too long.
      const passed = decode(await pass(encode(packets), [...chunks, 65_536]))
      assert.deepEqual(
        passed.map(({ type }) => type),
        packets.map(({ type }) => type),
      )
      for (const [index, { body }] of packets.entries()) {
        const found = passed[index]?.body ?? Buffer.alloc(0)
        assert.isTrue(found.equals(body.subarray(0, found.length)), 'the bytes are those of the packet')
        if (body.length < 4 * mebibyte) assert.equal(found.length, body.length)
        else {
          cut++
          assert.isTrue(found.length >= 2 * mebibyte && found.length < 4 * mebibyte, `${found.length} bytes`)
        }
      }
    })
    const largePackets = Array.from({ length: 6 }, (_, each) => ({ type: 0x30, length: 4 * mebibyte + each }))
    await fc.assert(check, { numRuns: 60, examples: [[largePackets, [65_536]]] })
    assert.isAbove(cut, 5)
  })

  it('A length that no packet may have reaches the client unchanged', async () => {
    const bytes = Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3, 0x30, 0])
    for (const length of [1, 100]) assert.deepEqual(await pass(bytes, [length]), bytes)
  })

  it('Each part of a packet is reported', async () => {
    let parts = 0
    await pass(encode([{ type: 0x30, body: bodyOf(5 * mebibyte) }]), [mebibyte], () => void parts++)
    assert.equal(parts, 6)
  })
})
