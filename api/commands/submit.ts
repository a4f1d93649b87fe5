import { ApiError } from '../../schema/errors.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { ApiDeps, NewCommand } from '../ports.ts'

export type Params = Readonly<Record<string, string>>

/** Has the registrar do a command for the caller; returns its result or throws what it refused. */
export async function submit(
  { commands }: Pick<ApiDeps, 'commands'>,
  { kind, id, name: callerName, company }: Pick<Caller, 'kind' | 'id' | 'name' | 'company'>,
  name: string,
  payload: unknown,
  options: Pick<NewCommand, 'inChunks' | 'timeoutMs'> = {},
): Promise<unknown> {
  const outcome = await commands.submit({
    companyId: company.id,
    actor: id,
    by: { kind, name: callerName },
    name,
    payload,
    ...options,
  })
  if (outcome.ok) return outcome.result
  const { status, code, message, errors, more = 0 } = outcome.error
  throw new ApiError(status, code, message, { errors, more })
}

/** The body with the id of the path, whatever id the body names. One that is no object stays as it is, to be refused. */
export function withId(body: unknown, params: Params, idOf: (text: string) => string | number = text => text): unknown {
  return typeof body === 'object' && !Array.isArray(body) ? { ...body, id: idOf(params['id'] ?? '') } : body
}
