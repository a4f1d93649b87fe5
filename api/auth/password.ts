import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { createSerial } from '../../shared/async/serial.ts'
import { unavailable } from '../../schema/errors.ts'

/**
 * OWASP's third choice for scrypt: as hard to guess as N = 2^17 with p = 1, in a quarter of the memory (32 MiB).
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 */
const owaspCost: Cost = { ln: 15, r: 8, p: 3 }
let cost = owaspCost
const hashLength = 32
const saltLength = 16
/**
 * Most passwords that are hashed or wait for it. A caller beyond them is refused: at some six passwords a second it
 * would wait too long.
 */
const maxWaiting = 30

/** Hashes one password at a time, off the main thread, so that files, names and the engine get threads, too. */
const inTurn = createSerial()
let waiting = 0

/** Parameters of scrypt: the binary logarithm of N, the size of a block, and how many are computed. */
export interface Cost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** Sets the cost of the hashes that this process makes from now on, or the full one. Only tests lower it. */
export function setPasswordCost(next: Cost = owaspCost): void {
  cost = next
}

/**
 * The form in which a password is kept: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, Base64. Rejects with an `ApiError` 503
 * where too many are under way.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltLength)
  const hash = await derive(password, salt, cost)
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64')}$${hash.toString('base64')}`
}

/**
 * Whether the password is the one that was hashed. Without a hash the answer is no, after the same time, so that it
 * does not tell whether there is a user. Rejects as `hashPassword` does.
 */
export async function verifyPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const parts = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(passwordHash ?? '')
  if (!parts || !isBearable(parts)) {
    await derive(password, randomBytes(saltLength), cost)
    return false
  }
  const [, ln, r, p, salt = '', hash = ''] = parts
  const kept = Buffer.from(hash, 'base64')
  const derived = await derive(password, Buffer.from(salt, 'base64'), { ln: Number(ln), r: Number(r), p: Number(p) })
  return kept.length === derived.length && timingSafeEqual(kept, derived)
}

/**
 * Whether a hash is cheap enough to check: all others would wait for a costly one. This service writes no costly
 * hashes.
 */
function isBearable([, ln, r, p]: readonly string[]): boolean {
  return Number(ln) <= 17 && Number(r) <= 16 && Number(p) <= 8
}

/** A password for someone who has yet to choose one: 20 characters that are told apart easily, 100 random bits. */
export function generatePassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  const drawn = [...randomBytes(20)].map(byte => letters[byte % letters.length])
  return drawn.join('').replace(/(.{5})(?=.)/g, '$1-')
}

async function derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  if (waiting >= maxWaiting) throw unavailable('Too many passwords are being checked', 5)
  waiting++
  try {
    return await inTurn(() => scryptOf(password, salt, { ln, r, p }))
  } finally {
    waiting--
  }
}

function scryptOf(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  const options = { N: 2 ** ln, r, p, maxmem: 2 * 128 * 2 ** ln * r }
  return new Promise((resolve, reject) => {
    // However a keyboard composes a letter, it is the same password.
    scrypt(password.normalize('NFKC'), salt, hashLength, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}
