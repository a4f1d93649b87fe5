import { id, inputSchema, list, named, object, uuid, withDefault } from '../types.ts'

/** Limit of the ids in each list of a subject. */
const maxIds = 5_000

/** Machines, all machines of groups, and connectors; without any id, all of the company. */
export const alertSubjectFields = {
  machineIds: withDefault(list(uuid, { maxItems: maxIds }), []),
  machineGroupIds: withDefault(list(id, { maxItems: maxIds }), []),
  connectorIds: withDefault(list(id, { maxItems: maxIds }), []),
}
export const alertSubject = named('AlertSubject', object(alertSubjectFields))
export const alertSubjectInput = named('AlertSubjectInput', inputSchema(alertSubjectFields, {}))
