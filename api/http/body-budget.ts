import type { Request, RequestHandler } from 'express'
import { ApiError, unavailable } from '../../schema/errors.ts'
import { Shares } from '../../shared/shares.ts'
import { clientAddressOf } from './address.ts'
import { callerIfAny } from './caller.ts'

export interface BodyBudget {
  /**
   * Handler that goes before the one that reads a body of at most so many bytes. It takes room for the body, or refuses
   * it unread.
   */
  take(limitBytes: number): RequestHandler
  /** Handler that goes after it. It gives back the room that the body did not need. */
  settle(): RequestHandler
}

export interface BodyBudgetOptions {
  /**
   * Most bytes of all bodies at a time that callers with a key send. A single body as large as its own limit always
   * fits.
   */
  readonly bytes: number
  /** Most bytes of all bodies at a time that callers without a key send. */
  readonly publicBytes: number
  readonly isShared: () => boolean
  /** Calls back once nothing is done for the request any more. */
  readonly onOver: (request: Request, over: () => void) => void
}

interface Room {
  readonly shares: Shares
  readonly holder: string
  bytes: number
}

/**
 * Bounds the bytes of all bodies that this process reads and works on at a time, inflated. Each company has its share,
 * and so has each address without a key. A holder that would exceed its share gets 429; where no room is left,
 * everybody gets 503.
 */
export function createBodyBudget({ bytes, publicBytes, isShared, onOver }: BodyBudgetOptions): BodyBudget {
  const ofCompanies = new Shares({ room: bytes, isShared })
  const ofAddresses = new Shares({ room: publicBytes })
  const rooms = new WeakMap<Request, Room>()
  return {
    take: limitBytes => (request, _response, next) => {
      const caller = callerIfAny(request)
      const shares = caller ? ofCompanies : ofAddresses
      const holder = caller ? caller.company.id : clientAddressOf(request)
      const room = { shares, holder, bytes: mostBytesOf(request, Math.min(limitBytes, caller ? bytes : publicBytes)) }
      if (!shares.take(holder, room.bytes)) {
        const isFull = shares.taken + room.bytes > (caller ? bytes : publicBytes)
        throw isFull ? noRoom() : tooMany(caller ? 'company' : 'address')
      }
      rooms.set(request, room)
      onOver(request, () => {
        shares.give(holder, room.bytes)
        room.bytes = 0
      })
      next()
    },
    settle: () => (request, _response, next) => {
      const room = rooms.get(request)
      const body: unknown = request.body
      const used = Buffer.isBuffer(body) ? body.length : 0
      if (room && used < room.bytes) {
        room.shares.give(room.holder, room.bytes - used)
        room.bytes = used
      }
      next()
    },
  }
}

/** Most bytes that one byte of deflate inflates to. */
const mostInflation = 1_032

/** How large a body may be once it is read, as far as its headers tell. */
function mostBytesOf(request: Request, limitBytes: number): number {
  const { 'content-length': length, 'content-encoding': encoding, 'transfer-encoding': transfer } = request.headers
  if (transfer !== undefined) return limitBytes
  const bytes = Number(length ?? 0)
  const isPlain = encoding === undefined || encoding.toLowerCase() === 'identity'
  return Math.min(limitBytes, isPlain ? bytes : bytes * mostInflation)
}

function noRoom(): ApiError {
  return unavailable('Too many large bodies are under way', 1)
}

function tooMany(holder: 'company' | 'address'): ApiError {
  const message = `Too many large bodies of this ${holder} are under way`
  return new ApiError(429, 'TooManyRequests', message, { retryAfterS: 1 })
}
