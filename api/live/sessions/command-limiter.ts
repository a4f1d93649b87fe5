import { TokenBucket } from '../token-bucket.ts'

/** A command costs one, and one more for each so many bytes. */
const bytesOfOne = 16_384
/** Seconds' worth that may come at once. */
const burstSeconds = 5
/** Who goes on at so many times the pace is sent away. */
const floodFactor = 10
/** Joins cost so much more: each is looked up. */
const joinFactor = 10

/** Limits the rate of one connection's commands. */
export class CommandLimiter {
  readonly #commands: TokenBucket
  readonly #refused: TokenBucket
  readonly #joins: TokenBucket

  constructor(perSecond: number, nowMs: number) {
    const burst = perSecond * burstSeconds
    this.#commands = new TokenBucket(perSecond, burst, nowMs)
    this.#refused = new TokenBucket(perSecond * floodFactor, burst * floodFactor, nowMs)
    this.#joins = new TokenBucket(perSecond / joinFactor, Math.max(1, burst / joinFactor), nowMs)
  }

  /** Before a message is parsed. `flood`: the connection is to be closed. */
  take(nowMs: number, bytes: number): 'taken' | 'refused' | 'flood' {
    const cost = 1 + Math.floor(bytes / bytesOfOne)
    if (this.#commands.take(nowMs, cost)) return 'taken'
    return this.#refused.take(nowMs, cost) ? 'refused' : 'flood'
  }

  /** One more join, beside what it cost as a command. */
  takeJoin(nowMs: number): boolean {
    return this.#joins.take(nowMs)
  }
}
