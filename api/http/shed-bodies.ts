import type { Request, RequestHandler } from 'express'
import { unavailable } from '../../schema/errors.ts'
import { LoadShedders, callerLoadLimits } from '../../shared/async/load-shedder.ts'
import { EventLoopLoad } from '../../shared/async/event-loop-load.ts'
import { callerOf } from './caller.ts'

/** Assumed bytes of a body without `Content-Length`. */
const untoldBytes = 65_536

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
    if (!shedder.takes(performance.now()) && loop.isBusy()) throw unavailable('Server overloaded. Retry later.', 1)
    const bytes = Math.min(limitBytes, Number(request.headers['content-length'] ?? untoldBytes))
    shedder.add(bytes, performance.now())
    onOver(request, () => shedder.end(bytes, performance.now()))
    next()
  }
}
