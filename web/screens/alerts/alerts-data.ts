import type { AlertTargetResponse } from '../../../schema/records/alert-target.ts'
import type { Client } from '../../data/client.ts'
import type { IncidentAssignee } from '../../../schema/requests/incidents.ts'
import { callNamesOf, hasScope, type Viewer } from '../../data/viewer.ts'
import type { Texts } from '../../texts/en.ts'
import type { RuleNames, ShownRule } from './rule-sentence.ts'

/** Rules and targets, with the records that they refer to. */
export interface AlertsData {
  readonly rules: readonly ShownRule[]
  readonly targets: readonly AlertTargetResponse[]
  /** Users that a target may have; empty for viewers who may not list them. */
  readonly users: readonly IncidentAssignee[]
  readonly names: RuleNames
}

/** Loads rules and targets by name. */
export async function loadAlerts(client: Client, viewer: Viewer, t: Texts): Promise<AlertsData> {
  const [rules, targets, users, machines, groups, connectors, reasons] = await Promise.all([
    client.call('GET /alert-rules'),
    client.call('GET /alert-targets'),
    hasScope(viewer, 'alert') || hasScope(viewer, 'incident') ? client.call('GET /incident-assignees') : [],
    client.call('GET /machines'),
    client.call('GET /machine-groups'),
    hasScope(viewer, 'connector.read') ? client.call('GET /connectors') : [],
    hasScope(viewer, 'annotation.read') ? client.call('GET /downtime-reasons') : [],
  ])
  const shifts = viewer.schedules.flatMap(({ versions }) => versions.flatMap(version => version.shifts))
  const names = {
    machines: namesById(machines),
    groups: namesById(groups),
    connectors: namesById(connectors),
    shifts: namesById(shifts),
    reasons: namesById(reasons),
    calls: callNamesOf(viewer, t),
    targets: namesById(targets),
  }
  return { rules, targets, users, names }
}

function namesById(
  items: readonly { readonly id: string | number; readonly name: string }[],
): ReadonlyMap<string, string> {
  return new Map(items.map(({ id, name }) => [String(id), name]))
}
