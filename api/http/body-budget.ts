import type { Request, RequestHandler } from 'express'
import { ApiError, unavailable } from '../../schema/errors.ts'
import { Shares } from '../../shared/shares.ts'
import { clientAddressOf } from './forwarded.ts'
import { callerIfAny, callerOf } from './caller.ts'
import { LoadShedders, callerLoadLimits } from '../../shared/async/load-shedder.ts'
import { EventLoopLoad } from '../../shared/async/event-loop-load.ts'

export interface BodyBudget {
  /** Handler before the body reader: reserves memory for a body of at most this size, or rejects it unread. */
  reserve(limitBytes: number): RequestHandler
  /** Handler after the body reader: releases the memory that the body did not need. */
  settle(): RequestHandler
}

interface BodyBudgetOptions {
  /** Maximum bytes of all concurrent bodies of authenticated callers. A single body of the maximum size always fits. */
  readonly bytes: number
  /** Maximum bytes of all concurrent bodies of other callers. */
  readonly publicBytes: number
  readonly isShared: () => boolean
  readonly onOver: (request: Request, over: () => void) => void
}

interface Reservation {
  readonly shares: Shares
  readonly tenant: string
  bytes: number
}

/**
 * Limits the inflated bytes of all bodies that this process reads and handles at a time, in fair shares by company, or
 * by address for unauthenticated callers. A body beyond its fair share gets 429; one beyond the total gets 503.
 */
export function createBodyBudget({ bytes, publicBytes, isShared, onOver }: BodyBudgetOptions): BodyBudget {
  const ofCompanies = new Shares({ limit: bytes, isShared })
  const ofAddresses = new Shares({ limit: publicBytes })
  const reservations = new WeakMap<Request, Reservation>()
  return {
    reserve: limitBytes => (request, _response, next) => {
      const caller = callerIfAny(request)
      const shares = caller ? ofCompanies : ofAddresses
      const tenant = caller ? caller.company.id : clientAddressOf(request)
      const reservation = {
        shares,
        tenant,
        bytes: maxBytesOf(request, Math.min(limitBytes, caller ? bytes : publicBytes)),
      }
      if (!shares.reserve(tenant, reservation.bytes)) {
        const isFull = shares.used + reservation.bytes > (caller ? bytes : publicBytes)
        if (isFull) throw unavailable('Too many concurrent large bodies', 1)
        const message = `Too many concurrent large bodies of this ${caller ? 'company' : 'address'}`
        throw new ApiError(429, 'TooManyRequests', message, { retryAfterS: 1 })
      }
      reservations.set(request, reservation)
      onOver(request, () => {
        shares.release(tenant, reservation.bytes)
        reservation.bytes = 0
      })
      next()
    },
    settle: () => (request, _response, next) => {
      const reservation = reservations.get(request)
      const body: unknown = request.body
      const used = Buffer.isBuffer(body) ? body.length : 0
      if (reservation && used < reservation.bytes) {
        reservation.shares.release(reservation.tenant, reservation.bytes - used)
        reservation.bytes = used
      }
      next()
    },
  }
}

/** Maximum ratio of inflated to compressed bytes of deflate. */
const maxInflation = 1_032

/** The maximum size of a body after inflation, according to its headers. */
function maxBytesOf(request: Request, limitBytes: number): number {
  const { 'content-length': length, 'content-encoding': encoding, 'transfer-encoding': transfer } = request.headers
  if (transfer !== undefined) return limitBytes
  const bytes = Number(length ?? 0)
  const isPlain = encoding === undefined || encoding.toLowerCase() === 'identity'
  return Math.min(limitBytes, isPlain ? bytes : bytes * maxInflation)
}

/** Assumed bytes of a body without `Content-Length`. */
const assumedBytes = 65_536

/**
 * Handler before those that read the body. While the event loop is saturated, it rejects (503, unread) bodies that
 * would wait for long behind other bodies of the company. `limitBytes`: maximum size of a body. `onOver` calls `over`
 * when a request and its work have ended.
 */
export function shedBodies(limitBytes: number, onOver: (request: Request, over: () => void) => void): RequestHandler {
  const shedders = new LoadShedders(callerLoadLimits)
  const loop = new EventLoopLoad()
  return (request, _response, next) => {
    const shedder = shedders.of(callerOf(request).company.id)
    // Slow uploads can also be numerous, but are not a backlog of this process.
    if (!shedder.accepts(performance.now()) && loop.isBusy()) throw unavailable('Server overloaded. Retry later.', 1)
    const bytes = Math.min(limitBytes, Number(request.headers['content-length'] ?? assumedBytes))
    shedder.add(bytes, performance.now())
    onOver(request, () => shedder.end(bytes, performance.now()))
    next()
  }
}
