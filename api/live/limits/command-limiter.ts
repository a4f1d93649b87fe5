import { TokenBucket } from './token-bucket.ts'

/** Bytes of a command per additional token of the bucket. */
const bytesOfOne = 16_384
/** Burst of the token bucket, in seconds of the rate. */
const burstSeconds = 5
/** A client that exceeds the rate by this factor is disconnected. */
const floodFactor = 10
/** Additional cost of a join, which needs a lookup. */
const joinFactor = 10

/** Limits the rate of one connection's commands. */
export class CommandLimiter {
  readonly #commands: TokenBucket
  readonly #rejected: TokenBucket
  readonly #joins: TokenBucket

  constructor(perSecond: number, nowMs: number) {
    const burst = perSecond * burstSeconds
    this.#commands = new TokenBucket(perSecond, burst, nowMs)
    this.#rejected = new TokenBucket(perSecond * floodFactor, burst * floodFactor, nowMs)
    this.#joins = new TokenBucket(perSecond / joinFactor, Math.max(1, burst / joinFactor), nowMs)
  }

  /** Counts a command before it is parsed. `flood`: the connection is to be closed. */
  count(nowMs: number, bytes: number): 'allowed' | 'rejected' | 'flood' {
    const cost = 1 + Math.floor(bytes / bytesOfOne)
    if (this.#commands.consume(nowMs, cost)) return 'allowed'
    return this.#rejected.consume(nowMs, cost) ? 'rejected' : 'flood'
  }

  /** Counts a join, in addition to its cost as a command. */
  countJoin(nowMs: number): boolean {
    return this.#joins.consume(nowMs)
  }
}
