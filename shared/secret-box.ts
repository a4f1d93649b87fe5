import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const version = 'v1'
const ivBytes = 12
const tagBytes = 16

/** Encrypts texts with a key that is derived from a secret of the installation. */
export class SecretBox {
  readonly #key: Buffer
  readonly #keyId: string

  /** `secret`: at least 32 bytes that cannot be guessed. */
  constructor(secret: Buffer) {
    this.#key = derive(secret, 'key', 32)
    this.#keyId = derive(secret, 'id of the key', 6).toString('hex')
  }

  /** Encrypts a text; only the same `context`, such as the path of its record, decrypts it. */
  encrypt(text: string, context: string): string {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv(algorithm, this.#key, iv).setAAD(Buffer.from(context))
    const bytes = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return [version, this.#keyId, bytes.toString('base64url')].join('.')
  }

  /** Returns the text; throws if it was encrypted with another key or context, or was changed. */
  decrypt(sealed: string, context: string): string {
    if (!this.isReadable(sealed)) throw new Error('The secret was encrypted with another key')
    const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url')
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString()
  }

  /** Whether the text was encrypted with this key. */
  isReadable(sealed: string): boolean {
    return sealed.startsWith(`${version}.${this.#keyId}.`)
  }
}

function derive(secret: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `takt secret box: ${purpose}`, bytes))
}
