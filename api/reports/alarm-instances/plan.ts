import type { FileFormat } from '../../../schema/requests/report.ts'
import {
  type directions,
  type orders,
  alarmInstancesInput,
  maxAlarmInstances,
} from '../../../schema/requests/alarm-instances.ts'
import { reportDimensions } from '../../../schema/groupings.ts'
import { parseFile } from '../request/parse.ts'
import { type FieldError, fieldError, validationError } from '../../../schema/errors.ts'
import { isInstant, parseInstantMs } from '../../../shared/time/instant.ts'
import { type Body, bodyOf, checkFields, conditionsOf, isAbsent } from '../request/check-fields.ts'
import { alarmCodeOf, type AlarmInstance, type NativeCode } from '../../../schema/alarm-instance.ts'
import type { CompanyView } from '../company/company-view.ts'
import { type Choice, keepsNothing, machineChoice, statesOf } from '../plan/plan.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

type AlarmConditionName = (typeof reportDimensions.alarm.filters)[number]
type PageDirection = (typeof directions)[number]
type Order = (typeof orders)[number]

/** A valid request for a page of alarm instances. */
export interface AlarmInstancesRequest {
  readonly from: PageStart
  readonly direction: PageDirection
  /** `id` only with a `startId`. */
  readonly orderBy: Order
  readonly limit: number
  /** Instances must have one of the values of each condition named. */
  readonly filter: AlarmConditions
  /** Instances must have none of the values. */
  readonly reject: AlarmConditions
  /** Format of the page's file; null: no file is requested. */
  readonly file: FileFormat | null
}

/** `start` (UTC ms): instances from it on, or before it; `startId`: after or before that instance, in the requested order. */
type PageStart =
  { readonly form: 'start'; readonly startMs: number } | { readonly form: 'startId'; readonly startId: number }

/** A condition without values is missing. */
type AlarmConditions = { readonly [Name in AlarmConditionName]?: readonly string[] }

const conditionNames = reportDimensions.alarm.filters

/** The body of `POST /reports/alarm/instances`. Throws an `ApiError` 400 with every field error; unknown keys are ignored. */
export function parseAlarmInstances(body: unknown): AlarmInstancesRequest {
  const errors: FieldError[] = []
  const fields = bodyOf(body, errors)
  if (errors.length > 0) throw validationError(errors)
  const from = parseFrom(fields, errors)
  checkFields(fields, alarmInstancesInput, ['direction', 'orderBy'], errors)
  const orderBy = fields['orderBy'] === 'id' ? 'id' : 'start'
  if (orderBy === 'id' && !isAbsent(fields['start']))
    errors.push(fieldError('orderBy', 'MutuallyExclusive', "OrderBy 'id' needs startId instead of start"))
  checkFields(fields, alarmInstancesInput, ['limit', 'filter', 'reject', 'format', 'csv'], errors)
  if (errors.length > 0 || !from) throw validationError(errors)
  return {
    direction: fields['direction'] === 'DESC' ? 'DESC' : 'ASC',
    orderBy,
    limit: Number(fields['limit'] ?? maxAlarmInstances),
    filter: conditionsOf(fields['filter'], conditionNames),
    reject: conditionsOf(fields['reject'], conditionNames),
    from,
    file: parseFile(fields),
  }
}

function parseFrom(fields: Body, errors: FieldError[]): PageStart | null {
  const { start, startId } = fields
  if (isAbsent(start) === isAbsent(startId)) {
    const message = 'Exactly one of start and startId is required'
    errors.push(fieldError('start', isAbsent(start) ? 'Required' : 'MutuallyExclusive', message))
    return null
  }
  if (isAbsent(start)) {
    checkFields(fields, alarmInstancesInput, ['startId'], errors)
    return { form: 'startId', startId: Number(startId) }
  }
  const startMs = typeof start === 'string' && isInstant(start) ? parseInstantMs(start) : null
  if (startMs !== null) return { form: 'start', startMs }
  errors.push(fieldError('start', 'InvalidDate', 'Start must be an ISO 8601 date-time'))
  return null
}

/** A page of alarm instances in the terms of the store. */
export interface AlarmInstancesPlan extends Pick<AlarmInstancesRequest, 'from' | 'direction' | 'orderBy' | 'limit'> {
  readonly companyRef: CompanyRef
  readonly nowMs: number
  readonly machines: Choice<MachineRef>
  readonly states: readonly AlarmInstance['level'][]
  readonly codes: Choice<string>
  /** `alarmCodeOf` of native codes. */
  readonly natives: Choice<string>
}

/** Pure: plans the queries of the request. `natives`: the native codes whose ids it contains. */
export function planAlarmInstances(
  { from, direction, orderBy, limit, filter, reject }: AlarmInstancesRequest,
  view: CompanyView,
  natives: readonly NativeCode[],
): AlarmInstancesPlan {
  const nativesOf = (ids: readonly string[]) => natives.filter(({ id }) => ids.includes(String(id))).map(alarmCodeOf)
  return {
    from,
    direction,
    orderBy,
    limit,
    companyRef: view.company.ref,
    nowMs: view.nowMs,
    machines: machineChoice(view, filter, reject),
    states: statesOf(filter, reject),
    codes: { only: filter.nativeCode ?? null, not: reject.nativeCode ?? [] },
    natives: {
      only: filter.nativeCodeId ? nativesOf(filter.nativeCodeId) : null,
      not: nativesOf(reject.nativeCodeId ?? []),
    },
  }
}

/** Ids of native codes in the request. An id that is not an integer matches nothing. */
export function nativeCodeIds({ filter, reject }: AlarmInstancesRequest): readonly number[] {
  const ids = [...(filter.nativeCodeId ?? []), ...(reject.nativeCodeId ?? [])]
  return ids.filter(id => /^\d{1,10}$/.test(id) && Number(id) < 2 ** 31).map(Number)
}

/** Whether no instance can be in the response, so that no query is needed. */
export function matchesNothing({ machines, states, codes, natives }: AlarmInstancesPlan): boolean {
  return keepsNothing([states, machines.only, codes.only, natives.only])
}

/** Whether a value counts. */
export function counts<T>({ only, not }: Choice<T>, value: T): boolean {
  return (only === null || only.includes(value)) && !not.includes(value)
}
