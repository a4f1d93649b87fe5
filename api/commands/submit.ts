import { type Outcome, resultOrThrow } from '../../schema/commands/command-log.ts'
import type { CommandName, Payload, Result } from '../../schema/commands/commands.ts'
import type { SubmitOptions } from '../../processors/registrar/client.ts'
import type { Caller } from '../auth/caller.ts'
import type { CommandsPort } from '../ports/ports.ts'

export type Params = Readonly<Record<string, string>>

/** Caller of a change. */
export type Requester = Pick<Caller, 'kind' | 'id' | 'name' | 'company'>

/** Sends a command of the caller to the registrar; resolves with its outcome. */
export function sendCommand<Name extends CommandName>(
  { commands }: CommandsPort,
  { kind, id, name: callerName, company }: Requester,
  name: Name,
  payload: Payload<Name>,
  options: Pick<SubmitOptions, 'timeoutMs'> = {},
): Promise<Outcome<Result<Name>>> {
  return commands.submit(name, payload, {
    companyId: company.id,
    actor: id,
    by: { kind, name: callerName },
    ...options,
  })
}

/** Sends a command of the caller to the registrar; returns its result or throws its rejection. */
export async function submit<Name extends CommandName>(
  ...args: Parameters<typeof sendCommand<Name>>
): Promise<Result<Name>> {
  return resultOrThrow(await sendCommand(...args))
}

/** The id in the path. */
export function pathId({ id = '' }: Params): string {
  return id
}

/**
 * The body with this id, which replaces an id in the body. A body that is not an object stays unchanged and is rejected
 * later.
 */
export function withId<Body, Id extends string | number | null>(body: Body, id: Id): Body & { readonly id: Id } {
  const isObject = typeof body === 'object' && !Array.isArray(body)
  const named: unknown = isObject ? { ...body, id } : body
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A body that is not an object is rejected.
  return named as Body & { readonly id: Id }
}
