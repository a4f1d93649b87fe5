import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Access } from './access.ts'

/** Minimum length of a secret; a shorter one could be guessed. */
const minBytes = 32

/** Reads the secret that signs user tokens. Rejects with an Error that names the file. */
export async function readTokenSecret(path: string): Promise<Buffer> {
  const secret = await readFile(path).catch((error: unknown) => {
    throw new Error(`TAKT_TOKEN_SECRET_FILE: ${path} cannot be read`, { cause: error })
  })
  if (secret.length < minBytes) throw new Error(`TAKT_TOKEN_SECRET_FILE: ${path} has fewer than ${minBytes} bytes`)
  return secret
}

/**
 * Replaces the companies' secrets with secrets that are derived from the file's secret, which is not in the records.
 */
export function withTokenSecret(access: Access, secret: Buffer): Access {
  return {
    ...access,
    async companyWithSecret(id) {
      const company = await access.company(id)
      return company && { ...company, tokenSecret: createHmac('sha256', secret).update(id).digest('hex') }
    },
  }
}
