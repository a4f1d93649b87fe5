const finalText = 0x81

/** A complete text message of a server (RFC 6455, 5.2): not masked, not fragmented. */
export function textMessage(text: Buffer): Buffer {
  return Buffer.concat([textHeader(text.length), text])
}

/** The header of a text message of this size. */
export function textHeader(length: number): Buffer {
  if (length < 126) return Buffer.from([finalText, length])
  if (length < 0x1_0000) return Buffer.from([finalText, 126, length >>> 8, length & 0xff])
  const header = Buffer.alloc(10)
  header[0] = finalText
  header[1] = 127
  header.writeBigUInt64BE(BigInt(length), 2)
  return header
}
