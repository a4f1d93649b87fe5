import { createHmac } from 'node:crypto'

const secretPrefix = 'whsec_'

/**
 * Returns the value of the header `webhook-signature` according to Standard Webhooks: a signature by each secret
 * (`whsec_…`).
 *
 * @param timestampSeconds the value of the header `webhook-timestamp`
 */
export function signWebhook(secrets: readonly string[], id: string, timestampSeconds: number, body: string): string {
  const content = `${id}.${timestampSeconds}.${body}`
  return secrets.map(secret => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`).join(' ')
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64')
}
