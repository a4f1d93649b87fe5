import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'takt_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 > 2^256 and 62^6 > 2^32. */
const secretLength = 43
const checkLength = 6
const keyLength = prefix.length + secretLength + checkLength

/** A key given out elsewhere (`TAKT_ADMIN_KEY`) is at least this long. */
const minKeyLength = 32
const maxKeyLength = 512

/** A new key: `takt_`, 32 random bytes in base62, and six characters that tell a mistyped key from an unknown one. */
export function generateKey(secret: Buffer = randomBytes(32)): string {
  const body = `${prefix}${base62(BigInt(`0x${secret.toString('hex')}`), secretLength)}`
  return `${body}${checkOf(body)}`
}

/** Whether a token could be a key at all; cheap, before anything is looked up. */
export function isPlausibleKey(token: string): boolean {
  if (token.length < minKeyLength || token.length > maxKeyLength) return false
  if (!token.startsWith(prefix) || token.length !== keyLength) return true
  const body = token.slice(0, -checkLength)
  return token === `${body}${checkOf(body)}`
}

/** The form in which a key is stored: its SHA-256, hex. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

function checkOf(text: string): string {
  return base62(BigInt(crc32(text)), checkLength)
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = `${alphabet[Number(rest % 62n)] ?? ''}${text}`
  return text
}
