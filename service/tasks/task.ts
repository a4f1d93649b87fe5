import type { SubmitOptions } from '../../processors/registrar/client.ts'
import { checkerOf } from '../../schema/check.ts'
import { ApiError } from '../../schema/errors.ts'
import type { Of, Schema } from '../../schema/types.ts'
import type { ServiceContext } from '../context.ts'

/** Something that is asked for on the command line and done where the log is open. Its payload and its answer are JSON. */
export interface Task<Payload, Answer> {
  /** Checks the payload; throws an `ApiError` that names every fault. */
  (context: ServiceContext, payload: unknown): Promise<Answer>
  /** Never set: carries the type of a payload that has no fault. */
  readonly payload?: Payload
}

/** As long as it takes another process to become the registrar. */
export const asService = {
  actor: 'command line',
  by: { kind: 'service', name: 'Command line' },
  timeoutMs: 60_000,
} as const satisfies Omit<SubmitOptions, 'companyId'>

/** A task whose payload fits a schema. */
export function task<S extends Schema, Answer>(
  schema: S,
  work: (context: ServiceContext, payload: Of<S>) => Promise<Answer>,
): Task<Of<S>, Answer> {
  const check = checkerOf(schema)
  return async (context, payload) => {
    const checked = check(payload)
    if ('value' in checked) return work(context, checked.value)
    const { faults } = checked
    throw new ApiError(400, 'ValidationError', faults.map(({ message }) => message).join('; '), { errors: faults })
  }
}
