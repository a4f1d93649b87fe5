import type { Request, RequestHandler } from 'express'
import { unavailable } from '../../schema/errors.ts'
import { LoadShedders, callersLoad } from '../../shared/async/load-shedder.ts'
import { BusyLoop } from '../../shared/async/busy-loop.ts'
import { callerOf } from './caller.ts'

/** Bytes of a body whose length is not told before it is read. */
const untoldBytes = 65_536

/**
 * Handler that goes before those that read the body. While the process has no time left, it refuses (503, unread) what would wait for long
 * behind other bodies of the company: those are done no later for it. `limitBytes`: of a body. `onOver` calls back once nothing is done for a request any more.
 */
export function shedBodies(limitBytes: number, onOver: (request: Request, over: () => void) => void): RequestHandler {
  const shedders = new LoadShedders(callersLoad)
  const loop = new BusyLoop()
  return (request, _response, next) => {
    const shedder = shedders.of(callerOf(request).company.id)
    // Bodies that arrive slowly are many at a time, too: that is no backlog of this process.
    if (!shedder.takes(performance.now()) && loop.isBusy()) throw unavailable('More comes than can be taken now', 1)
    const bytes = Math.min(limitBytes, Number(request.headers['content-length'] ?? untoldBytes))
    shedder.add(bytes, performance.now())
    onOver(request, () => shedder.end(bytes, performance.now()))
    next()
  }
}
