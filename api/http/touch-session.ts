import type { Caller } from '../auth/caller.ts'
import { isToTouch } from '../auth/session.ts'
import type { Logger } from 'pino'
import type { ClockPort, CommandsPort } from '../ports/ports.ts'
import type { ApiSettings } from '../ports/settings.ts'
import { submit } from '../commands/submit.ts'

export interface TouchDeps extends CommandsPort, ClockPort {
  readonly settings: Pick<ApiSettings, 'sessionRules'>
  readonly logger: Logger
}

/**
 * Returns a function that records the use of a session from time to time, in the background: after a failure, the next
 * request retries.
 */
export function createSessionToucher({ commands, settings, clock, logger }: TouchDeps): (caller: Caller) => void {
  const underWay = new Set<string>()
  return caller => {
    const { session } = caller
    if (!session || underWay.has(session.id) || !isToTouch(session, settings.sessionRules, clock())) return
    underWay.add(session.id)
    submit({ commands }, caller, 'session.touch', { id: session.id })
      .catch((error: unknown) => logger.debug({ err: error }, 'Failed to record session use'))
      .finally(() => underWay.delete(session.id))
  }
}
