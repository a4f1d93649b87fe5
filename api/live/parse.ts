import { getMetrics, joinPayload, machineIds, type GetMetrics, type JoinPayload } from '../../schema/api/live.ts'
import type { Schema } from '../../schema/api/json-schema.ts'
import type { LiveCode } from '../../schema/api/live.ts'
import { checkOf } from '../http/check.ts'
import { CommandFailed } from './failure.ts'

/** Payloads of commands as the schemas let them through; each throws a `CommandFailed` that names every fault. */
export const parseJoin = parser<JoinPayload>(joinPayload, 'invalid_request')
export const parseMachineIds = parser<readonly string[]>(machineIds, 'invalid_machines')
export const parseGetMetrics = parser<GetMetrics>(getMetrics, 'invalid_request')

function parser<Payload>(schema: Schema<Payload>, code: LiveCode): (data: unknown) => Payload {
  const check = checkOf(schema)
  return data => {
    const faults = check(data)
    if (faults.length > 0) throw new CommandFailed(code, faults.map(({ message }) => message).join('; '))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has let it through
    return data as Payload
  }
}
