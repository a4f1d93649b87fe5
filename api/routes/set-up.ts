import { ApiError } from '../../schema/errors.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { type CompanyRecord, settingsOf } from '../../schema/records/company.ts'
import { sessionResponse } from '../../schema/requests/session.ts'
import { setUpInput, setUpState, setUpToken } from '../../schema/requests/set-up.ts'
import { hashPassword } from '../auth/password.ts'
import { jsonBody, route } from '../http/route.ts'
import type { SetUpLink } from '../auth/set-up-link.ts'
import type { CommandsPort, LookUpPort, RecordsPort } from '../ports/ports.ts'
import { type SessionStartPort, startSession } from './session.ts'

interface SetUpPort extends RecordsPort {
  /** Permits to create the first user, once. */
  readonly setUpLink: SetUpLink
}

const by = { actor: 'set-up', by: { kind: 'service', name: 'First set-up' } } as const

const checkSetUp = route('POST /set-up/check', 'checkSetUpLink', {
  summary: 'Whether the link of the first-time setup is valid',
  description:
    'The service prints the link at its start if there are no users; it is valid once, for an hour. 403: invalid or expired.',
  scope: 'public',
  mayReject: true,
  body: jsonBody(setUpToken),
  output: setUpState,
  handle({ body: { token } }, deps: SetUpPort) {
    const { companyName, timeZone, startOfDay, microstopMs } = settingsOf(companyToSetUp(token, deps))
    return { companyName, timeZone, startOfDay, microstopMs }
  },
})

const postSetUp = route('POST /set-up', 'setUpCompany', {
  summary: 'Set up the company and its first user, who is then signed in',
  description:
    'The user gets the role it_admin. The other settings of the company, and `microstopMs` if it is omitted, stay unchanged. `language` (default: en): names of the default alert rules. 403: the link is invalid or expired.',
  scope: 'public',
  mayReject: true,
  body: jsonBody(setUpInput),
  output: sessionResponse,
  async handle({ body, ...call }, deps: SetUpPort & LookUpPort & CommandsPort & SessionStartPort) {
    const { id: companyId, ...found } = companyToSetUp(body.token, deps)
    const settings = settingsOf(found)
    const {
      companyName,
      timeZone,
      startOfDay,
      microstopMs = settings.microstopMs,
      email,
      displayName,
      language = 'en',
    } = body
    const user = await deps.setUpLink.useFor(async () => {
      const passwordHash = await hashPassword(body.password)
      // The user comes first: if the link of another process was used meanwhile, the settings belong to that user.
      const made = { email, displayName, role: 'it_admin', passwordHash, isFirst: true, language } as const
      const outcome = await deps.commands.submit('user.create', made, { ...by, companyId })
      if (!outcome.ok && outcome.error.code === 'NotFirst') throw notGood()
      const first = resultOrThrow(outcome)
      const changed = { ...settings, companyName, timeZone, startOfDay, microstopMs }
      resultOrThrow(await deps.commands.submit('settings.put', changed, { ...by, companyId }))
      return first
    })
    await deps.catchUpRecords()
    const company = await deps.access.company(companyId)
    if (!company) throw notGood()
    return startSession(user, company, call, deps)
  },
})

/** The oldest company, as long as it has no users. */
function companyToSetUp(token: string, { records, setUpLink }: SetUpPort): CompanyRecord {
  const [company] = records.companies()
  if (!company || !setUpLink.isGood(token) || records.list('user', company.id).length > 0) throw notGood()
  return company
}

function notGood(): ApiError {
  return new ApiError(
    403,
    'Forbidden',
    'Link expired. Restart Takt to get a new one, or sign in if a user exists already.',
  )
}

export const setUpRoutes = [checkSetUp, postSetUp]
