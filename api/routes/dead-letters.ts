import {
  type DeadLettersAnswer,
  deadLettersAnswer,
  replayAnswer,
  replayInput,
} from '../../schema/requests/dead-letters.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import type { Of } from '../../schema/types.ts'
import { anyOf } from '../auth/scopes.ts'
import { jsonBody, route } from '../http/route.ts'

interface DeadLettersPort {
  /** Rejected samples of a company. */
  readonly deadLetters: {
    list(company: CompanyRecord, signal: AbortSignal): Promise<DeadLettersAnswer>
    /** Sends the dead letters of a reason to ingest again. */
    replay(company: CompanyRecord, reason: DeadLetterReason, signal: AbortSignal): Promise<Of<typeof replayAnswer>>
  }
}

const scope = anyOf('machine')

const getDeadLetters = route({
  method: 'GET',
  path: '/dead-letters',
  operationId: 'listDeadLetters',
  summary: 'Samples that were not taken, by reason',
  description:
    'Those that a key of the company sent, or that name its machines. What the log has dropped by now is not counted. ' +
    'Each reading goes through all of them: one company may have two under way (429), of a minute at most (503).',
  scope,
  output: deadLettersAnswer,
  handle({ caller, signal }, { deadLetters }: DeadLettersPort) {
    return deadLetters.list(caller().company, signal)
  },
})

const replayDeadLetters = route({
  method: 'POST',
  path: '/dead-letters/replay',
  operationId: 'replayDeadLetters',
  summary: 'Send the dead letters of a reason again',
  description:
    'Those that would be taken now: create their machine first. A sample that comes twice is one sample, so a repeat changes nothing. One that is refused again makes no further dead letter.',
  scope,
  body: jsonBody(replayInput),
  output: replayAnswer,
  handle: ({ caller, body, signal }, { deadLetters }: DeadLettersPort) =>
    deadLetters.replay(caller().company, body.reason, signal),
})

export const deadLetterRoutes = [getDeadLetters, replayDeadLetters]
