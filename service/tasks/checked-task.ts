import type { SubmitOptions } from '../../processors/registrar/client.ts'
import { checkerOf } from '../../schema/check.ts'
import { ApiError } from '../../schema/errors.ts'
import type { Of, Schema } from '../../schema/types.ts'
import type { ServiceContext } from '../context.ts'
import type { Task } from './task.ts'

/** As long as it takes another process to become the registrar. */
export const asService = {
  actor: 'command line',
  by: { kind: 'service', name: 'Command line' },
  timeoutMs: 60_000,
} as const satisfies Omit<SubmitOptions, 'companyId'>

/** A task whose payload fits a schema; every fault is told. */
export function task<S extends Schema>(
  schema: S,
  work: (context: ServiceContext, payload: Of<S>) => Promise<unknown>,
): Task {
  const check = checkerOf(schema)
  return async (context, payload) => {
    const checked = check(payload)
    if ('value' in checked) return work(context, checked.value)
    const { faults } = checked
    throw new ApiError(400, 'ValidationError', faults.map(({ message }) => message).join('; '), { errors: faults })
  }
}
