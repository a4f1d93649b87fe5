import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import type { Texts } from '../../texts/en.ts'
import type { Format } from '../../texts/format.ts'

/** Names of the company's downtime reasons and kinds of calls, by id. */
export interface IncidentNames {
  readonly reasons: ReadonlyMap<number, string>
  readonly calls: ReadonlyMap<string, string>
}

/** Returns the title of an incident: its rule, or the kind of a call. */
export function titleOf(
  { kind, detail: { call }, ruleName }: Pick<IncidentItem, 'kind' | 'detail' | 'ruleName'>,
  { calls }: Pick<IncidentNames, 'calls'>,
  { now: words, alerts }: Texts,
): string {
  if (call !== undefined) return words.callFor(calls.get(call.kind) ?? call.kind)
  return ruleName ?? alerts.kinds[kind]
}

/** Returns the detail of an incident; '' if there is none. */
export function detailOf(
  { detail }: Pick<IncidentItem, 'detail'>,
  { reasons }: IncidentNames,
  { t, format }: { readonly t: Texts; readonly format: Format },
): string {
  const { reasonId, status, alarms, call, connectorState, check, value = null } = detail
  if (reasonId === 'setup' || reasonId === 'uncategorized') return t.reports.absent[reasonId]
  if (reasonId !== undefined) return reasons.get(reasonId) ?? String(reasonId)
  if (status !== undefined) return t.status[status]
  if (call !== undefined) return call.note
  if (alarms !== undefined)
    return alarms.map(({ nativeCode, message }) => `${nativeCode} ${message}`.trim()).join(' · ')
  if (check !== undefined)
    return [t.alerts.checks[check], value === null ? '' : format.number(value, 1)].filter(Boolean).join(': ')
  return connectorState === undefined
    ? ''
    : (new Map(Object.entries(t.source.states)).get(connectorState) ?? connectorState)
}

/** Returns the name of the user to whom an incident is assigned. */
export function ownerOf(
  { assignedTo, assignedName }: Pick<IncidentItem, 'assignedTo' | 'assignedName'>,
  { now: words }: Texts,
): string {
  return assignedTo === null ? words.noOwner : (assignedName ?? words.otherOwner)
}
