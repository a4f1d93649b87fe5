import type { ConnectorMachine, ConnectorResponse } from '../../../schema/records/connector.ts'
import type { DiscoveredDevice } from '../../../schema/requests/connector-trial.ts'
import { newId } from '../../data/new-id.ts'
import {
  type Assignment,
  assignmentOf,
  type KeptRule,
  type MappedValue,
  meanings,
  noSource,
  type Plan,
  type Rule,
  ruleOf,
  types,
} from './plan.ts'

/** The plan of a stored connector. */
export function planOf(connector: ConnectorResponse): Plan {
  const { id, name, kind, address, machines, rules, options } = connector
  const [first] = machines
  const machineId = kind === 'http' && typeof first?.machineId === 'string' ? first.machineId : ''
  // The form has one machine for all values of a broker or an adapter.
  const isShown = kind === 'mtconnect' || (kind !== 'http' && machines.length === 1 && !hasTemplate(first))
  return {
    connectorId: id,
    name,
    source: { ...noSource, kind, address: address ?? '', user: options.user ?? '', machineId },
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
