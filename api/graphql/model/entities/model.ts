import { activities, activitySets } from './activity-sets.ts'
import { alarms } from './alarms.ts'
import { annotations } from './annotations.ts'
import { currentAlarms } from './current-alarms.ts'
import { currentStates, machineKeys } from './current-states.ts'
import { operatorRuns } from './operator-runs.ts'
import {
  annotationTypes,
  company,
  groupsOfMachines,
  machineGroups,
  machines,
  machinesOfGroups,
  operations,
  operators,
  rejectReasons,
} from './plant.ts'
import { partAdjustments, rejects } from './rejects.ts'
import { schedules, shifts, shiftTimes } from './schedules.ts'
import type { Entity } from '../entity.ts'

/** An entity under the name that relations call it by, and the root lists that it has. */
type Named = readonly [name: string, entity: Entity, roots: readonly string[]]

/** `roots`: one of the same name, where nothing is said. */
function named(name: string, entity: Entity, roots: readonly string[] = [name]): Named {
  return [name, entity, roots]
}

const model: readonly Named[] = [
  named('machines', machines, ['machines', 'Machine']),
  named('company', company, ['Company']),
  named('machineGroups', machineGroups),
  named('metrics', machineKeys),
  named('currentStates', currentStates),
  named('currentAlarms', currentAlarms),
  named('alarms', alarms),
  named('activitySets', activitySets),
  named('activities', activities),
  named('annotations', annotations),
  named('annotationTypes', annotationTypes, ['downtimeReasons']),
  named('operatorRuns', operatorRuns),
  named('operators', operators),
  named('operations', operations, ['jobOperations']),
  named('rejects', rejects),
  named('rejectReasons', rejectReasons),
  named('partAdjustments', partAdjustments),
  named('schedules', schedules),
  named('shifts', shifts),
  named('shiftTimes', shiftTimes),
  named('machinesOfGroups', machinesOfGroups, []),
  named('groupsOfMachines', groupsOfMachines, []),
]

const entities = new Map(model.map(([name, entity]) => [name, entity]))

/** The entity that relations call so; throws where the model has none. */
export function entityNamed(name: string): Entity {
  const found = entities.get(name)
  if (!found) throw new Error(`invariant: the model has no entity ${name}`)
  return found
}

/** The root lists by the names of their fields. */
export const roots: Readonly<Record<string, Entity>> = Object.fromEntries(
  model.flatMap(([, entity, names]) => names.map(name => [name, entity])),
)

/** One entity for each type of the interface. */
export const types: readonly Entity[] = [...new Map(Object.values(roots).map(entity => [entity.name, entity])).values()]
