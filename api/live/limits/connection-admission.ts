import type { CloseReason } from '../../../schema/requests/live.ts'
import { Shares } from '../../../shared/shares.ts'

export interface AdmissionLimits {
  /** Maximum number of connections of this process. */
  readonly connections: number
  /** Maximum number of connections of one address that have not joined. */
  readonly guestsOfAddress: number
  /** Time limit for joining, ms. */
  readonly joinWithinMs: number
}

/** Share of all connections that those without a join may use. */
const guestShare = 1 / 4

/**
 * Admits connections. A connection is a guest until it joins, and again after it has left. Guests have a share of all
 * connections, each address a small one, and a time limit for joining. If the guests' share is used up, the oldest
 * guest of the address with most guests is disconnected. Each company has a share of the joined connections.
 */
export class ConnectionAdmission {
  readonly #limits: AdmissionLimits
  readonly #guests = new Map<string, Set<ConnectionPermit>>()
  readonly #companies: Shares
  #guestCount = 0
  #joinedCount = 0

  /** `isShared`: whether there are several companies. */
  constructor(limits: AdmissionLimits, isShared: () => boolean) {
    this.#limits = limits
    this.#companies = new Shares({ limit: limits.connections, isShared })
  }

  /** Whether a connection from the address would be admitted. */
  hasRoom(address: string): boolean {
    const { connections, guestsOfAddress } = this.#limits
    const max = Math.max(1, Math.min(guestsOfAddress, this.#maxGuests))
    if ((this.#guests.get(address)?.size ?? 0) >= max) return false
    return this.#joinedCount < connections && (!this.#isFull || this.#fullestAddress() !== address)
  }

  /** Admits a new connection; null: a limit is reached. `close` is called when the service closes it. */
  admit(address: string, close: (reason: CloseReason) => void = () => undefined): ConnectionPermit | null {
    if (!this.hasRoom(address)) return null
    if (this.#isFull) this.#evict()
    const permit = new ConnectionPermit(address, close, this)
    this.addGuest(permit)
    return permit
  }

  /** Closes guests that did not join in time. */
  closeLate(nowMs: number): void {
    const since = nowMs - this.#limits.joinWithinMs
    for (const permits of this.#guests.values())
      for (const permit of permits) if (permit.guestSinceMs <= since) permit.close('join_timeout')
  }

  addGuest(permit: ConnectionPermit): void {
    const permits = this.#guests.get(permit.address)
    if (permits) permits.add(permit)
    else this.#guests.set(permit.address, new Set([permit]))
    this.#guestCount++
  }

  removeGuest(permit: ConnectionPermit): void {
    const permits = this.#guests.get(permit.address)
    if (!permits?.delete(permit)) return
    this.#guestCount--
    if (permits.size === 0) this.#guests.delete(permit.address)
  }

  /** Reserves a connection of the company's share; false: the share is used up. */
  reserveMember(companyId: string): boolean {
    if (!this.#companies.reserve(companyId, 1)) return false
    this.#joinedCount++
    return true
  }

  releaseMember(companyId: string): void {
    this.#companies.release(companyId, 1)
    this.#joinedCount--
  }

  get #maxGuests(): number {
    return Math.max(1, Math.floor(this.#limits.connections * guestShare))
  }

  get #isFull(): boolean {
    return this.#guestCount >= this.#maxGuests || this.#guestCount + this.#joinedCount >= this.#limits.connections
  }

  #fullestAddress(): string | null {
    let fullest: string | null = null
    let most = 1
    for (const [address, { size }] of this.#guests) if (size > most) [fullest, most] = [address, size]
    return fullest
  }

  /** Closes the oldest guest of the address with most guests. Sets iterate in insertion order. */
  #evict(): void {
    const address = this.#fullestAddress()
    const guests = address === null ? this.#guests.values().next().value : this.#guests.get(address)
    guests?.values().next().value?.close('too_many_connections')
  }
}

/** A channel of a connection. */
export interface PermittedSession {
  /** Its channel or protocol. */
  readonly name: string
  /** Sends the reason and closes the connection. */
  end(reason: CloseReason): void
}

/** One connection with its channels; some transports carry several. */
export class ConnectionPermit {
  readonly address: string
  readonly #close: (reason: CloseReason) => void
  readonly #admission: ConnectionAdmission
  readonly #sessions = new Set<PermittedSession>()
  /** Number of its joined channels by company. */
  readonly #joined = new Map<string, number>()
  #guestSinceMs = performance.now()
  #isEnded = false

  constructor(address: string, close: (reason: CloseReason) => void, admission: ConnectionAdmission) {
    this.address = address
    this.#close = close
    this.#admission = admission
  }

  get guestSinceMs(): number {
    return this.#guestSinceMs
  }

  /** Whether one of its sessions is on the channel. */
  isOn(channel: string): boolean {
    return [...this.#sessions].some(session => session.name === channel)
  }

  add(session: PermittedSession): void {
    this.#sessions.add(session)
  }

  remove(session: PermittedSession): void {
    this.#sessions.delete(session)
  }

  /** A channel joins for a company; false: the company's share of connections is used up. */
  join(companyId: string): boolean {
    const before = this.#joined.get(companyId) ?? 0
    if (before === 0 && !this.#admission.reserveMember(companyId)) return false
    if (this.#joined.size === 0) this.#admission.removeGuest(this)
    this.#joined.set(companyId, before + 1)
    return true
  }

  leave(companyId: string): void {
    const left = (this.#joined.get(companyId) ?? 0) - 1
    if (left > 0) {
      this.#joined.set(companyId, left)
      return
    }
    if (!this.#joined.delete(companyId)) return
    this.#admission.releaseMember(companyId)
    if (this.#joined.size > 0 || this.#isEnded) return
    this.#guestSinceMs = performance.now()
    this.#admission.addGuest(this)
  }

  close(reason: CloseReason): void {
    this.end()
    for (const session of this.#sessions) session.end(reason)
    this.#close(reason)
  }

  /** The connection is closed or about to close. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#admission.removeGuest(this)
  }
}
