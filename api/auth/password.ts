import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { createSerial } from '../../shared/async/serial.ts'
import { unavailable } from '../../schema/errors.ts'

/**
 * The third recommendation of OWASP for scrypt: as strong as N = 2^17 with p = 1, in a quarter of the memory (32 MiB).
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 */
const owaspCost: Cost = { ln: 15, r: 8, p: 3 }
let cost = owaspCost
const hashLength = 32
const saltLength = 16
/** Maximum number of queued passwords: at six per second, further callers would wait too long. */
const maxWaiting = 30

/** Hashes one password at a time, so that files, DNS and the engine get threads of the pool, too. */
const runSerially = createSerial()
let waiting = 0

/** Parameters of scrypt: the binary logarithm of N, the block size r and the parallelization p. */
export interface Cost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** Sets the cost of new hashes of this process; default: the full cost. Only tests lower it. */
export function setPasswordCost(next: Cost = owaspCost): void {
  cost = next
}

/** Hashes a password to `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. Rejects with 503 if too many are queued. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltLength)
  const hash = await derive(password, salt, cost)
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64')}$${hash.toString('base64')}`
}

/** Whether the password matches the hash; without a hash, false after the same time. Rejects as `hashPassword`. */
export async function verifyPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const parts = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(passwordHash ?? '')
  if (!parts || !isBearable(parts)) {
    await derive(password, randomBytes(saltLength), cost)
    return false
  }
  const [, ln, r, p, salt = '', hash = ''] = parts
  const stored = Buffer.from(hash, 'base64')
  const derived = await derive(password, Buffer.from(salt, 'base64'), { ln: Number(ln), r: Number(r), p: Number(p) })
  return stored.length === derived.length && timingSafeEqual(stored, derived)
}

/** Whether a stored hash is not too expensive to verify: that would delay all other sign-ins. */
function isBearable([, ln, r, p]: readonly string[]): boolean {
  return Number(ln) <= 17 && Number(r) <= 16 && Number(p) <= 8
}

/** An initial password: 20 unambiguous characters, 100 random bits. */
export function generatePassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  const drawn = [...randomBytes(20)].map(byte => letters[byte % letters.length])
  return drawn.join('').replace(/(.{5})(?=.)/g, '$1-')
}

async function derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  if (waiting >= maxWaiting) throw unavailable('Too many passwords are being checked', 5)
  waiting++
  try {
    return await runSerially(() => computeScrypt(password, salt, { ln, r, p }))
  } finally {
    waiting--
  }
}

function computeScrypt(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  const options = { N: 2 ** ln, r, p, maxmem: 2 * 128 * 2 ** ln * r }
  return new Promise((resolve, reject) => {
    // Keyboards compose the same letter in different ways.
    scrypt(password.normalize('NFKC'), salt, hashLength, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}
