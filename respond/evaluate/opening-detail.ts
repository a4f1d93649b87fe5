import { reasonCode } from '../../schema/document.ts'
import type { MachineCondition, StopReason } from '../../schema/records/alert-condition.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { alarmTest } from '../holds/machine-holds.ts'
import type { MachineHistory } from '../holds/machine-history.ts'
import { firstEndingAfter } from '../intervals/interval.ts'

/** Limit of the alarms in the detail of an incident. */
const maxAlarms = 20
/** Limit of the characters of their messages: each change of an incident stores its detail again. */
const maxMessageChars = 500

/** Returns what the history contains at the opening of an incident, UTC ms. */
export function openingDetail(
  condition: MachineCondition,
  { states, alarms }: MachineHistory,
  openedMs: number,
): IncidentRecord['detail'] {
  if ('silent' in condition) return {}
  if ('alarm' in condition) {
    const isActive = alarms.filter(({ startMs, endMs }) => startMs <= openedMs && openedMs < endMs)
    const found = isActive.filter(alarmTest(condition)).slice(0, maxAlarms)
    const shown = found.map(({ nativeCode, level: state, message }) => ({
      nativeCode,
      state,
      message: message.slice(0, maxMessageChars),
    }))
    return { alarms: shown }
  }
  const state = states[firstEndingAfter(states, openedMs)]
  if (!state || state.startMs > openedMs) return {}
  if ('status' in condition) return { status: state.status }
  return state.reason === null ? {} : { reasonId: reasonOf(state.reason) }
}

function reasonOf(code: number): StopReason {
  if (code === reasonCode.setup) return 'setup'
  return code === reasonCode.uncategorized ? 'uncategorized' : code
}
