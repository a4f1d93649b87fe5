import { activities, activitySets } from './activity-sets.ts'
import { alarms } from './alarms.ts'
import { annotations } from './annotations.ts'
import { currentAlarms } from './current-alarms.ts'
import { currentStates, machineKeys } from './current-states.ts'
import { calls, incidents } from './incidents.ts'
import { operatorRuns } from './operator-runs.ts'
import {
  annotationTypes,
  company,
  groupsOfMachines,
  groupsOfReasons,
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

/** An entity with its name in relations, and the names of its root lists. */
type Named = readonly [name: string, entity: Entity, roots: readonly string[]]

/** Creates an entry of the model; by default the root list has the name of the entity. */
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
  named('incidents', incidents),
  named('calls', calls),
  named('schedules', schedules),
  named('shifts', shifts),
  named('shiftTimes', shiftTimes),
  named('machinesOfGroups', machinesOfGroups, []),
  named('groupsOfMachines', groupsOfMachines, []),
  named('groupsOfReasons', groupsOfReasons, []),
]

const entities = new Map(model.map(([name, entity]) => [name, entity]))

/** Returns the entity of a name that relations use; throws if there is none. */
export function entityNamed(name: string): Entity {
  const found = entities.get(name)
  if (!found) throw new Error(`invariant: the model has no entity ${name}`)
  return found
}

/** Entities by the names of their root lists. */
export const roots: Readonly<Record<string, Entity>> = Object.fromEntries(
  model.flatMap(([, entity, names]) => names.map(name => [name, entity])),
)

/** The entity of each GraphQL type. */
export const types: readonly Entity[] = [...new Map(Object.values(roots).map(entity => [entity.name, entity])).values()]
