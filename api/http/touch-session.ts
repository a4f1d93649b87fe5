import type { Caller } from '../auth/caller.ts'
import { isToTouch } from '../auth/session.ts'
import type { Logger } from 'pino'
import type { ClockPort, CommandsPort } from '../ports/ports.ts'
import type { ApiSettings } from '../ports/settings.ts'
import { submit } from '../commands/submit.ts'

/** Parts of the process that noting the use of sessions needs. */
export interface TouchDeps extends CommandsPort, ClockPort {
  readonly settings: Pick<ApiSettings, 'sessionRules'>
  readonly logger: Logger
}

/** Notes now and then that a session is in use. Nobody waits for it: where it fails, the next request tries again. */
export function createSessionToucher({ commands, settings, clock, logger }: TouchDeps): (caller: Caller) => void {
  const underWay = new Set<string>()
  return caller => {
    const { session } = caller
    if (!session || underWay.has(session.id) || !isToTouch(session, settings.sessionRules, clock())) return
    underWay.add(session.id)
    submit({ commands }, caller, 'session.touch', { id: session.id })
      .catch((error: unknown) => logger.debug({ err: error }, 'a session was not noted as used'))
      .finally(() => underWay.delete(session.id))
  }
}
