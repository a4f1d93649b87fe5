import { createChecker } from '../../schema/check.ts'
import { coerceToSchema } from '../../schema/coerce.ts'
import {
  getMetrics,
  incidentFilter,
  joinPayload,
  machineIds,
  maxDescriptorNames,
  maxRequestIdChars,
  type GetMetrics,
  type LiveCode,
  type MetricDescriptor,
} from '../../schema/requests/live.ts'
import { jsonOf, type Infer, type Schema } from '../../schema/types.ts'
import type { FieldError } from '../../schema/errors.ts'
import { CommandFailed } from './failure.ts'

/** Maximum number of reported errors per payload. */
const maxErrors = 20

const getMetricsOf = parser(getMetrics, 'invalid_request')

/**
 * Parsers of command payloads, with scalars converted to the types of the fields. Unknown fields are dropped. Each
 * throws a `CommandFailed` that lists the errors.
 */
export const parseMachineIds = parser(machineIds, 'invalid_machines')
export const parseIncidentFilter = parser(incidentFilter, 'invalid_request')
export const parseJoin = parser(joinPayload, 'invalid_request')

/** Errors contain the id of the request if it is valid. */
export function parseGetMetrics(data: unknown): GetMetrics {
  const requestId = requestIdOf(data)
  try {
    const request = getMetricsOf(data)
    checkNames(request.metrics)
    return request
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw new CommandFailed(error.code, error.message, { ...error.failure, requestId })
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
    const checked = check(coerceToSchema(data, jsonOf(schema), 'left out'))
    if ('value' in checked) return checked.value
    throw new CommandFailed(code, textOf(checked.errors, checked.more))
  }
}

function textOf(errors: readonly FieldError[], more: number): string {
  const shown = errors.slice(0, maxErrors).map(({ message }) => message)
  const hidden = more + errors.length - shown.length
  return [...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join('; ')
}
