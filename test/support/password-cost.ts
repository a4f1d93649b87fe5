import { setPasswordCost } from '../../api/auth/password.ts'

/** Loaded before the tests, which hash hundreds of passwords; each would take 150 ms of CPU at the full cost. */
const lowCost = { ln: 8, r: 8, p: 1 } as const

setPasswordCost(lowCost)

/** In a `describe`: passwords are hashed at the full cost, as in the service. */
export function useFullPasswordCost(): void {
  before(() => setPasswordCost())
  after(() => setPasswordCost(lowCost))
}
