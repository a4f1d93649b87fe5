import type { ConnectorMachine, ConnectorResponse } from '../../../schema/records/connector.ts'
import type { DiscoveredDevice } from '../../../schema/requests/connector-trial.ts'
import { newId } from '../../data/new-id.ts'
import {
  type Assignment,
  assignmentOf,
  type KeptRule,
  type MappedValue,
  meanings,
  type Plan,
  type Rule,
  ruleOf,
  sourceKinds,
  types,
} from './plan.ts'

/** The plan of a stored connector; null: its kind has no source that a user can read. */
export function planOf(connector: ConnectorResponse): Plan | null {
  const { id, name, address, machines, rules, options } = connector
  const kind = sourceKinds.find(each => each === connector.kind)
  if (kind === undefined) return null
  // The form has one machine for all values of a broker or an adapter.
  const isShown = kind === 'mtconnect' || (machines.length === 1 && !hasTemplate(machines[0]))
  return {
    connectorId: id,
    name,
    source: { kind, address: address ?? '', user: options.user ?? '', password: '' },
    assignments: isShown ? machines.map(storedAssignment) : [],
    rules: kind === 'mtconnect' ? rules.map(kept => ({ kept })) : shownRules(rules),
    stored: connector,
    keptMachines: isShown ? [] : machines,
  }
}

/** Whether the topic determines the machine. */
function hasTemplate(machine: ConnectorMachine | undefined): boolean {
  return typeof machine?.machineId !== 'string' || machine.machineId.startsWith('{')
}

function storedAssignment(stored: ConnectorMachine): Assignment {
  const machineId = typeof stored.machineId === 'string' ? stored.machineId : null
  const source = stored.source ?? ''
  return { source, isUsed: true, machineId, newMachineId: newId(), newName: '', countsSingleParts: false, stored }
}

function shownRules(rules: readonly Rule[]): Plan['rules'] {
  const shown = new Set<string>()
  return rules.map(rule => {
    const mapped = shown.has(rule.from) ? null : mappedOfRule(rule)
    if (mapped !== null) shown.add(rule.from)
    return mapped ?? ({ kept: rule } satisfies KeptRule)
  })
}

/** The form of a stored rule; null: the form would change it. */
function mappedOfRule(rule: Rule): MappedValue | null {
  const { from, value = '$', key, time, timeUnit, map = {} } = rule
  const lines = Object.entries(map).map(pair => pair.join(' = '))
  const more = { ...(key !== undefined && { key }), ...(time !== undefined && { time }), ...(timeUnit && { timeUnit }) }
  const form = { from, path: value, values: lines.join('\n'), more }
  for (const meaning of meanings) {
    const mapped = { ...form, meaning }
    const category = meaning === 'other' ? {} : { category: types[meaning][1] }
    if (sortedJson(ruleOf(mapped)) === sortedJson({ value, ...category, ...rule })) return mapped
  }
  return null
}

/** JSON of a rule that does not depend on the order of fields. */
function sortedJson(rule: Rule): string {
  return JSON.stringify(rule, (_, value: unknown) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** Adds the devices of a source that has been read to the stored assignments. `isFree`: no other connector reads it. */
export function withDevices(
  { assignments, stored }: Pick<Plan, 'assignments' | 'stored'>,
  devices: readonly DiscoveredDevice[],
  isFree: (machineId: string) => boolean,
): readonly Assignment[] {
  const known = assignments.filter(each => each.stored !== undefined)
  const others = devices.filter(device => !known.some(each => isOf(each, device)))
  return [
    ...known,
    ...others.map(device => {
      const { machineId } = device
      const proposed = machineId !== null && isFree(machineId) ? machineId : null
      return assignmentOf({ ...device, machineId: proposed }, stored === null && device.state.length > 0)
    }),
  ]
}

/** Whether an assignment names a device. */
export function isOf({ source }: Pick<Assignment, 'source'>, { name, uuid }: DiscoveredDevice): boolean {
  return source === name || source === uuid
}
