import { codeOf, type AlarmInstance, type NativeCode } from '../../../schema/alarm-instance.ts'
import { alarmStates } from '../../../schema/groupings.ts'
import { groupIds } from '../plan.ts'
import type { CompanyView } from '../company-view.ts'
import type { AlarmConditions, AlarmInstancesRequest } from './request.ts'

/** A page of alarm instances in the terms of the store. */
export interface AlarmInstancesPlan extends Pick<AlarmInstancesRequest, 'from' | 'direction' | 'orderBy' | 'limit'> {
  /** `ref` of the company. */
  readonly company: number
  readonly nowMs: number
  /** `ref`s. */
  readonly machines: Choice<number>
  readonly states: readonly AlarmInstance['level'][]
  /** Codes as machines send them. */
  readonly codes: Choice<string>
  /** `codeOf` of native codes. */
  readonly natives: Choice<string>
}

/** Which values count: any but those of `not`, and of `only` unless that is null. */
export interface Choice<T> {
  readonly only: readonly T[] | null
  readonly not: readonly T[]
}

export interface PlanCircumstances {
  readonly view: CompanyView
  readonly nowMs: number
  /** What the ids of native codes in the request stand for. */
  readonly natives: readonly NativeCode[]
}

/** Pure: what has to be asked of the store for the request. */
export function planAlarmInstances(
  { from, direction, orderBy, limit, filter, reject }: AlarmInstancesRequest,
  { view, nowMs, natives }: PlanCircumstances,
): AlarmInstancesPlan {
  const nativesOf = (ids: readonly string[]) => natives.filter(({ id }) => ids.includes(String(id))).map(codeOf)
  return {
    from,
    direction,
    orderBy,
    limit,
    company: view.company.ref,
    nowMs,
    machines: machineChoice(view, filter, reject),
    states: statesOf(filter, reject),
    codes: { only: filter.nativeCode ?? null, not: reject.nativeCode ?? [] },
    natives: {
      only: filter.nativeCodeId ? nativesOf(filter.nativeCodeId) : null,
      not: nativesOf(reject.nativeCodeId ?? []),
    },
  }
}

/** Ids of native codes that the request names; those that are no ints stand for nothing. */
export function nativeCodeIds({ filter, reject }: AlarmInstancesRequest): readonly number[] {
  const ids = [...(filter.nativeCodeId ?? []), ...(reject.nativeCodeId ?? [])]
  return ids.filter(id => /^\d{1,10}$/.test(id) && Number(id) < 2 ** 31).map(Number)
}

/** Whether no instance can be in the answer, so that there is nothing to ask for. */
export function keepsNothing({ machines, states, codes, natives }: AlarmInstancesPlan): boolean {
  return states.length === 0 || [machines, codes, natives].some(({ only }) => only?.length === 0)
}

/** Refs of machines that filters and rejects let through. */
export function machineChoice(view: CompanyView, filter: AlarmConditions, reject: AlarmConditions): Choice<number> {
  return {
    only: filter.machine || filter.machineGroup ? machinesOf(view, filter, 'every') : null,
    not: machinesOf(view, reject, 'some'),
  }
}

/** The states that are left. */
export function statesOf(filter: AlarmConditions, reject: AlarmConditions): readonly AlarmInstance['level'][] {
  return alarmStates.filter(state => (filter.state?.includes(state) ?? true) && !reject.state?.includes(state))
}

/** Whether a value counts. */
export function counts<T>({ only, not }: Choice<T>, value: T): boolean {
  return (only === null || only.includes(value)) && !not.includes(value)
}

/** Refs of the machines that meet every condition, or some, of those on machines. */
function machinesOf(
  view: CompanyView,
  { machine, machineGroup }: AlarmConditions,
  rule: 'every' | 'some',
): readonly number[] {
  const ids = machine && new Set(machine.map(id => id.toLowerCase()))
  const groups = machineGroup && new Set(machineGroup)
  const refs = view.machines.filter(({ id, machineGroupIds }) => {
    const met = [
      ...(ids ? [ids.has(id)] : []),
      ...(groups ? [groupIds(machineGroupIds).some(group => groups.has(group))] : []),
    ]
    return rule === 'every' ? met.every(Boolean) : met.some(Boolean)
  })
  return refs.map(({ ref }) => ref)
}
