import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hourMs } from '../../shared/time/units.ts'
import { hashKey } from './key.ts'

const setUpLifetimeMs = hourMs

/** A secret for the creation of the first user: valid once, for an hour, and only in this process. */
export interface SetUpLink {
  readonly token: string
  isGood(token: string): boolean
  /** Runs the work and uses the token up; if the work fails, the token stays valid. */
  useFor<T>(work: () => Promise<T>): Promise<T>
}

/** Creates a link that is valid from now. */
export function createSetUpLink(clock: () => number): SetUpLink {
  const token = randomBytes(24).toString('base64url')
  const hash = Buffer.from(hashKey(token))
  const endsAtMs = clock() + setUpLifetimeMs
  let isUsed = false
  return {
    token,
    isGood: token => !isUsed && clock() < endsAtMs && timingSafeEqual(Buffer.from(hashKey(token)), hash),
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
