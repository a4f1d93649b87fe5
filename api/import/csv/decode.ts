import { TextDecoder } from 'node:util'
import { unreadable } from '../rows/file-row.ts'

export type Encoding = 'utf-8' | 'windows-1252'

/** Turns the chunks of a file into text, one after the other; without a chunk what is left at the end. */
export type Decode = (chunk?: Uint8Array) => string

/** Creates a decoder, which throws an `ApiError` for bytes that are not a character. A byte order mark is dropped. */
export function createDecoder(encoding: Encoding): Decode {
  if (encoding === 'windows-1252') return chunk => (chunk ? fromWindows1252(chunk) : '')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return chunk => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (cause) {
      throw unreadable('The file is not UTF-8', cause)
    }
  }
}

/** Characters of the bytes 0x80 to 0x9f; a space stands for none. The remaining bytes are as in Latin-1. */
const special = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

/** Without `TextDecoder`: that of Node 20 treats Windows-1252 as Latin-1. */
function fromWindows1252(chunk: Uint8Array): string {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, char => {
      const meant = special.charAt(char.charCodeAt(0) - 0x80)
      if (meant === ' ') throw unreadable('The file is neither UTF-8 nor Windows-1252')
      return meant
    })
}
