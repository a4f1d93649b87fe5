import { alarmCodeOf, type AlarmInstance, type NativeCode } from '../../../schema/alarm-instance.ts'
import type { CompanyView } from '../company/company-view.ts'
import { type Choice, keepsNothing, machineChoice, statesOf } from '../plan/filters.ts'
import type { AlarmInstancesRequest } from './request.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** A page of alarm instances in the terms of the store. */
export interface AlarmInstancesPlan extends Pick<AlarmInstancesRequest, 'from' | 'direction' | 'orderBy' | 'limit'> {
  /** `ref` of the company. */
  readonly companyRef: CompanyRef
  readonly nowMs: number
  /** `ref`s. */
  readonly machines: Choice<MachineRef>
  readonly states: readonly AlarmInstance['level'][]
  /** Codes as machines send them. */
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
