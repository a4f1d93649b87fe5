import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'takt_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 > 2^256 and 62^6 > 2^32. */
const secretLength = 43
const checkLength = 6
const keyLength = prefix.length + secretLength + checkLength

/** Minimum length of a key that is configured as `TAKT_ADMIN_KEY`. */
const minKeyLength = 32
const maxKeyLength = 512

/** A new key: `takt_`, 32 random bytes in base62, and a checksum of six characters that detects typing errors. */
export function generateKey(secret: Buffer = randomBytes(32)): string {
  const body = `${prefix}${base62(BigInt(`0x${secret.toString('hex')}`), secretLength)}`
  return `${body}${checkOf(body)}`
}

/** Whether a token has the form of a key; checked before a lookup because it is cheap. */
export function isPlausibleKey(token: string): boolean {
  if (token.length < minKeyLength || token.length > maxKeyLength) return false
  if (!token.startsWith(prefix) || token.length !== keyLength) return true
  const body = token.slice(0, -checkLength)
  return token === `${body}${checkOf(body)}`
}

/** The stored form of a key: its SHA-256, hex. */
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

/** Whether a text has the form of a signed JWT; the content is not checked. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}
