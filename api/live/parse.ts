import { createChecker } from '../../schema/check.ts'
import { coerceToSchema } from '../../schema/coerce.ts'
import {
  getMetrics,
  joinPayload,
  machineIds,
  maxDescriptorNames,
  maxRequestIdChars,
  type GetMetrics,
  type JoinPayload,
  type LiveCode,
  type MetricDescriptor,
} from '../../schema/requests/live.ts'
import { jsonOf, type Infer, type Schema } from '../../schema/types.ts'
import type { Fault } from '../../schema/errors.ts'
import { CommandFailed } from './failure.ts'

/** Maximum number of reported errors per payload. */
const maxFaults = 20

const joinOf = parser(joinPayload, 'invalid_request')
const getMetricsOf = parser(getMetrics, 'invalid_request')

/**
 * Parsers of command payloads, with scalars converted to the types of the fields. Unknown fields are dropped. Each
 * throws a `CommandFailed` that lists the errors.
 */
export const parseMachineIds = parser(machineIds, 'invalid_machines')

export function parseJoin(data: unknown): JoinPayload {
  const { token, stream } = joinOf(data)
  return stream === undefined ? { token } : { token, stream }
}

/** Errors contain the id of the request if it is valid. */
export function parseGetMetrics(data: unknown): GetMetrics {
  const requestId = requestIdOf(data)
  try {
    const given = getMetricsOf(data)
    const { machineId, startAt, endAt, metrics } = given
    const request = {
      machineId,
      ...(given.requestId !== undefined && { requestId }),
      startAt,
      ...(endAt !== undefined && { endAt }),
      metrics: metrics.map(descriptorOf),
    }
    checkNames(request.metrics)
    return request
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw new CommandFailed(error.code, error.message, { ...error.failure, requestId })
  }
}

function descriptorOf({ key, type, subtype, tag }: MetricDescriptor): MetricDescriptor {
  return {
    ...(key !== undefined && { key }),
    ...(type !== undefined && { type }),
    ...(subtype !== undefined && { subtype }),
    ...(tag !== undefined && { tag }),
  }
}

function checkNames(metrics: readonly MetricDescriptor[]): void {
  const names = metrics.flatMap(({ key, type, subtype }) => [key, type, subtype].flat())
  if (names.length > maxDescriptorNames)
    throw new CommandFailed('invalid_request', `metrics: at most ${maxDescriptorNames} names in total`)
}

/** The id of a request; throws if it is too long to repeat in a response. */
function requestIdOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('requestId' in data)) return undefined
  const { requestId } = data
  if ((JSON.stringify(requestId) ?? '').length > maxRequestIdChars)
    throw new CommandFailed('invalid_request', `requestId: at most ${maxRequestIdChars} characters of JSON`)
  return requestId
}

function parser<S extends Schema>(schema: S, code: LiveCode): (data: unknown) => Infer<S> {
  const check = createChecker(schema)
  return data => {
    const checked = check(coerceToSchema(data, jsonOf(schema)))
    if ('value' in checked) return checked.value
    throw new CommandFailed(code, textOf(checked.faults, checked.more))
  }
}

function textOf(faults: readonly Fault[], more: number): string {
  const told = faults.slice(0, maxFaults).map(({ message }) => message)
  const others = more + faults.length - told.length
  return [...told, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')
}
