import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hourMs } from '../../shared/time/units.ts'
import { hashKey } from './key.ts'

/** How long the link is good for. */
const setUpLifetimeMs = hourMs

/** A secret that lets whoever started the service make the first user: good once, and for an hour. Kept in memory alone. */
export interface SetUpLink {
  /** Shown to whoever starts the service. */
  readonly token: string
  isGood(token: string): boolean
  /** Does the work with the token used up; where the work fails, the token is good again. */
  useFor<T>(work: () => Promise<T>): Promise<T>
}

/** Makes a link that counts from now. */
export function createSetUpLink(clock: () => number): SetUpLink {
  const token = randomBytes(24).toString('base64url')
  const hash = Buffer.from(hashKey(token))
  const endsAtMs = clock() + setUpLifetimeMs
  let isUsed = false
  return {
    token,
    isGood: given => !isUsed && clock() < endsAtMs && timingSafeEqual(Buffer.from(hashKey(given)), hash),
    async useFor(work) {
      isUsed = true
      try {
        return await work()
      } catch (error) {
        isUsed = false
        throw error
      }
    },
  }
}
