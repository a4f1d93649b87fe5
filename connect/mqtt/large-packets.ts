import { Transform, type TransformCallback } from 'node:stream'

/** Bit of a byte of a packet's length that says that another byte follows; at most 4 bytes have the length, 7 bits each. */
const continues = 0x80
const maxLengthBytes = 4

/**
 * Cuts the packets of a broker that have 4 MiB or more: their first 2 to 4 MiB stay. The client library holds a packet in
 * memory until its end, up to 256 MiB, and version 3.1.1 has no limit that a client could set: the broker sends a packet again
 * until it is acknowledged. A message that was cut is still larger than the limit of payloads, so it gives no sample.
 */
export class LargePackets extends Transform {
  readonly #onBytes: () => void
  /** Bytes of the header that were read: the type, then those of the length. */
  #headerBytes = 0
  #length = 0
  /** Remaining bytes of the packet that are passed on, and then those that are discarded. */
  #forwardBytes = 0
  #discarded = 0

  /** `onBytes` is called when bytes have come, also those of a packet that is not complete. */
  constructor(onBytes: () => void) {
    super()
    this.#onBytes = onBytes
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#onBytes()
    let from = 0
    for (let at = 0; at < chunk.length;) {
      const left = chunk.length - at
      if (this.#forwardBytes > 0) {
        const count = Math.min(this.#forwardBytes, left)
        this.#forwardBytes -= count
        at += count
      } else if (this.#discarded > 0) {
        if (at > from) this.push(chunk.subarray(from, at))
        const count = Math.min(this.#discarded, left)
        this.#discarded -= count
        at += count
        from = at
      } else this.#readHeader(chunk, at++)
    }
    if (from < chunk.length) this.push(chunk.subarray(from))
    done()
  }

  /** Reads a byte of the header. The last one of a length of 4 MiB or more is changed: it has the highest bits. */
  #readHeader(chunk: Buffer, at: number): void {
    const byte = chunk[at] ?? 0
    const lengthBytes = this.#headerBytes++
    if (lengthBytes === 0) {
      this.#length = 0
      return
    }
    const unit = continues ** (lengthBytes - 1)
    const isLast = byte < continues
    const isLarge = isLast && lengthBytes === maxLengthBytes && byte > 1
    if (isLarge) {
      chunk[at] = 1
      this.#discarded = (byte - 1) * unit
    }
    this.#length += (isLarge ? 1 : byte % continues) * unit
    if (isLast) {
      this.#headerBytes = 0
      this.#forwardBytes = this.#length
      // The library rejects a length of more bytes.
    } else if (lengthBytes === maxLengthBytes) this.#forwardBytes = Infinity
  }
}
