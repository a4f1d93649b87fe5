import type { SubmitOptions } from '../../processors/registrar/client.ts'
import { createChecker } from '../../schema/check.ts'
import { ApiError } from '../../schema/errors.ts'
import type { Infer, Schema } from '../../schema/types.ts'
import type { ServiceContext } from '../context.ts'

/** A task that the command line requests from the process that has the log open. Payload and result are JSON. */
export interface Task<Payload, Answer> {
  /** Validates the payload and runs the task; throws an `ApiError` that lists every error of the payload. */
  (context: ServiceContext, payload: unknown): Promise<Answer>
  /** Never set: it carries the type of the payload. */
  readonly payload?: Payload
}

/**
 * Origin and time limit of the commands that tasks submit. The time limit includes a takeover of the registrar by
 * another process.
 */
export const serviceCommand = {
  actor: 'command line',
  by: { kind: 'service', name: 'Command line' },
  timeoutMs: 60_000,
} as const satisfies Omit<SubmitOptions, 'companyId'>

/** Creates a task whose payload is validated against a schema. */
export function task<S extends Schema, Answer>(
  schema: S,
  work: (context: ServiceContext, payload: Infer<S>) => Promise<Answer>,
): Task<Infer<S>, Answer> {
  const check = createChecker(schema)
  return async (context, payload) => {
    const checked = check(payload)
    if ('value' in checked) return work(context, checked.value)
    const { errors } = checked
    throw new ApiError(400, 'ValidationError', errors.map(({ message }) => message).join('; '), { errors })
  }
}
