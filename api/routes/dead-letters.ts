import {
  type DeadLettersResponse,
  deadLettersResponse,
  replayResponse,
  replayInput,
} from '../../schema/requests/dead-letters.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import type { Infer } from '../../schema/types.ts'
import { anyOf } from '../auth/scopes.ts'
import { jsonBody, route } from '../http/route.ts'

interface DeadLettersPort {
  readonly deadLetters: {
    list(company: CompanyRecord, signal: AbortSignal): Promise<DeadLettersResponse>
    /** Sends the dead letters of a reason to ingest again. */
    replay(company: CompanyRecord, reason: DeadLetterReason, signal: AbortSignal): Promise<Infer<typeof replayResponse>>
  }
}

const scope = anyOf('machine')

const getDeadLetters = route('GET /dead-letters', 'listDeadLetters', {
  summary: 'Rejected samples, by reason',
  description:
    'Dead letters that a key of the company sent or that name its machines. Those that the log has expired are not counted. ' +
    'Each request reads all of them: at most two at a time per company (429), for at most a minute (503).',
  scope,
  output: deadLettersResponse,
  handle({ caller, signal }, { deadLetters }: DeadLettersPort) {
    return deadLetters.list(caller().company, signal)
  },
})

const replayDeadLetters = route('POST /dead-letters/replay', 'replayDeadLetters', {
  summary: 'Resend the dead letters of a reason',
  description:
    'Sends those that are valid now; create their machine first. Duplicate samples count once, so a repeat changes nothing. A sample that is rejected again creates no further dead letter.',
  scope,
  body: jsonBody(replayInput),
  output: replayResponse,
  handle: ({ caller, body, signal }, { deadLetters }: DeadLettersPort) =>
    deadLetters.replay(caller().company, body.reason, signal),
})

export const deadLetterRoutes = [getDeadLetters, replayDeadLetters]
