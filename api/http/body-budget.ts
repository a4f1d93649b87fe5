import type { Request, RequestHandler } from 'express'
import { ApiError, unavailable } from '../../schema/errors.ts'
import { Shares } from '../../shared/shares.ts'
import { clientAddressOf } from './address.ts'
import { callerIfAny } from './caller.ts'

export interface BodyBudget {
  /** Handler before the body reader: reserves memory for a body of at most this size, or rejects it unread. */
  take(limitBytes: number): RequestHandler
  /** Handler after the body reader: releases the memory that the body did not need. */
  settle(): RequestHandler
}

export interface BodyBudgetOptions {
  /** Maximum bytes of all concurrent bodies of authenticated callers. A single body of the maximum size always fits. */
  readonly bytes: number
  /** Maximum bytes of all concurrent bodies of other callers. */
  readonly publicBytes: number
  readonly isShared: () => boolean
  /** Calls `over` when the request and its work have ended. */
  readonly onOver: (request: Request, over: () => void) => void
}

interface Room {
  readonly shares: Shares
  readonly holder: string
  bytes: number
}

/**
 * Limits the inflated bytes of all bodies that this process reads and handles at a time, in fair shares by company, or
 * by address for unauthenticated callers. A body beyond its fair share gets 429; one beyond the total gets 503.
 */
export function createBodyBudget({ bytes, publicBytes, isShared, onOver }: BodyBudgetOptions): BodyBudget {
  const ofCompanies = new Shares({ limit: bytes, isShared })
  const ofAddresses = new Shares({ limit: publicBytes })
  const rooms = new WeakMap<Request, Room>()
  return {
    take: limitBytes => (request, _response, next) => {
      const caller = callerIfAny(request)
      const shares = caller ? ofCompanies : ofAddresses
      const holder = caller ? caller.company.id : clientAddressOf(request)
      const room = { shares, holder, bytes: maxBytesOf(request, Math.min(limitBytes, caller ? bytes : publicBytes)) }
      if (!shares.reserve(holder, room.bytes)) {
        const isFull = shares.used + room.bytes > (caller ? bytes : publicBytes)
        throw isFull ? noRoom() : tooMany(caller ? 'company' : 'address')
      }
      rooms.set(request, room)
      onOver(request, () => {
        shares.release(holder, room.bytes)
        room.bytes = 0
      })
      next()
    },
    settle: () => (request, _response, next) => {
      const room = rooms.get(request)
      const body: unknown = request.body
      const used = Buffer.isBuffer(body) ? body.length : 0
      if (room && used < room.bytes) {
        room.shares.release(room.holder, room.bytes - used)
        room.bytes = used
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

function noRoom(): ApiError {
  return unavailable('Too many concurrent large bodies', 1)
}

function tooMany(holder: 'company' | 'address'): ApiError {
  const message = `Too many concurrent large bodies of this ${holder}`
  return new ApiError(429, 'TooManyRequests', message, { retryAfterS: 1 })
}
