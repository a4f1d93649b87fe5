import { activities, activitySets } from './entities/activity-sets.ts'
import { alarms } from './entities/alarms.ts'
import { annotations } from './entities/annotations.ts'
import { currentAlarms } from './entities/current-alarms.ts'
import { currentStates, metrics } from './entities/current-states.ts'
import { operatorRuns } from './entities/operator-runs.ts'
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
} from './entities/plant.ts'
import { partAdjustments, rejects } from './entities/rejects.ts'
import { schedules, shifts, shiftTimes } from './entities/schedules.ts'
import type { Entity } from './entity.ts'

/** Every entity by the name that relations call it by. */
const entities: Readonly<Record<string, Entity>> = {
  company,
  machines,
  machinesOfGroups,
  machineGroups,
  groupsOfMachines,
  metrics,
  currentStates,
  currentAlarms,
  alarms,
  activitySets,
  activities,
  annotations,
  annotationTypes,
  operatorRuns,
  operators,
  operations,
  rejects,
  rejectReasons,
  partAdjustments,
  schedules,
  shifts,
  shiftTimes,
}

/** The entity that relations call so; throws where the model has none. */
export function entityNamed(name: string): Entity {
  const found = entities[name]
  if (!found) throw new Error(`invariant: the model has no entity ${name}`)
  return found
}

/** The root lists by the names of their fields. */
export const roots: Readonly<Record<string, Entity>> = {
  machines,
  Machine: machines,
  Company: company,
  machineGroups,
  metrics,
  currentStates,
  currentAlarms,
  alarms,
  activitySets,
  activities,
  annotations,
  downtimeReasons: annotationTypes,
  operatorRuns,
  operators,
  jobOperations: operations,
  rejects,
  rejectReasons,
  partAdjustments,
  schedules,
  shifts,
  shiftTimes,
}

/** One entity for each type of the interface. */
export const types: readonly Entity[] = [...new Map(Object.values(roots).map(entity => [entity.name, entity])).values()]
