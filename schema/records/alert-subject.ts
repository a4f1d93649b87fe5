import type { MachineRecord } from './machine.ts'
import * as t from '../types.ts'

/** Limit of the ids in each list of a subject. */
const maxIds = 5_000

/** Machines, all machines of groups, and connectors; without any id, all of the company. */
export const alertSubjectFields = {
  machineIds: t.withDefault(t.list(t.uuid, { maxItems: maxIds }), []),
  machineGroupIds: t.withDefault(t.list(t.id, { maxItems: maxIds }), []),
  connectorIds: t.withDefault(t.list(t.id, { maxItems: maxIds }), []),
}
export const alertSubject = t.named('AlertSubject', t.object(alertSubjectFields))
export const alertSubjectInput = t.named('AlertSubjectInput', t.inputSchema(alertSubjectFields, {}))

/** Whether a rule on machines applies to a machine; one without any id applies to all of the company. */
export function appliesToMachine(
  { machineIds, machineGroupIds }: Pick<t.Infer<typeof alertSubject>, 'machineIds' | 'machineGroupIds'>,
  machine: Pick<MachineRecord, 'id' | 'machineGroupIds'>,
): boolean {
  if (machineIds.length === 0 && machineGroupIds.length === 0) return true
  return contains(machineIds, machine.id) || machine.machineGroupIds.some(group => contains(machineGroupIds, group))
}

/** Whether a rule on connectors applies to a connector; one without any id applies to all of the company. */
export function appliesToConnector(
  { connectorIds }: Pick<t.Infer<typeof alertSubject>, 'connectorIds'>,
  connectorId: string,
): boolean {
  return connectorIds.length === 0 || contains(connectorIds, connectorId)
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Whether a list of a record, which never changes, contains an id: it is searched for each machine. */
function contains(ids: readonly string[], id: string): boolean {
  let set = sets.get(ids)
  if (!set) {
    set = new Set(ids)
    sets.set(ids, set)
  }
  return set.has(id)
}
