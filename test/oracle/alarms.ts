import { applyCondition } from './states.ts'
import { byMillisecond } from './samples.ts'
import type { Observation } from './samples.ts'

/** An alarm of a machine, from the sample that raises it to the sample that clears it or changes its level. */
export interface AlarmInstance {
  readonly machineId: string
  /** Canonical name of the key of the condition. */
  readonly key: string
  readonly nativeCode: string
  readonly state: 'WARNING' | 'FAULT'
  readonly message: string
  readonly startMs: number
  /** End, UTC ms; null while the alarm is active. */
  readonly endMs: number | null
}

/** Returns all alarm instances in the samples of a machine, by start, key and code. */
export function alarmInstances(machineId: string, observations: readonly Observation[]): readonly AlarmInstance[] {
  const conditions = new Map<string, Map<string, string>>()
  const active = new Map<string, AlarmInstance>()
  const ended: AlarmInstance[] = []
  for (const group of byMillisecond(observations.filter(it => it.isCondition))) {
    const atMs = group[0]?.atMs ?? 0
    for (const it of group) applyCondition(conditions, it)
    for (const [id, alarm] of active) {
      if (conditions.get(alarm.key)?.get(alarm.nativeCode) === alarm.state) continue
      active.delete(id)
      ended.push({ ...alarm, endMs: atMs })
    }
    for (const it of group) {
      const state = conditions.get(it.key)?.get(it.nativeCode)
      const id = JSON.stringify([it.key, it.nativeCode])
      if ((state !== 'WARNING' && state !== 'FAULT') || active.has(id)) continue
      const last = group.findLast(
        other => other.key === it.key && other.nativeCode === it.nativeCode && other.value === state,
      )
      const { key, nativeCode } = it
      const message = last?.message ?? ''
      active.set(id, { machineId, key, nativeCode, state, message, startMs: atMs, endMs: null })
    }
  }
  return [...ended, ...active.values()].sort(compareAlarms)
}

function compareAlarms(a: AlarmInstance, b: AlarmInstance): number {
  return a.startMs - b.startMs || (a.key < b.key ? -1 : Number(a.key > b.key)) || (a.nativeCode < b.nativeCode ? -1 : 1)
}
