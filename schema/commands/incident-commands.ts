import { alertEvaluation, maxGaps } from '../records/alert-evaluation.ts'
import {
  callNote,
  commentText,
  incident,
  incidentActor,
  incidentCause,
  incidentDetail,
  incidentSubject,
} from '../records/incident.ts'
import {
  id,
  type Infer,
  instant,
  int,
  integer,
  list,
  literal,
  nullable,
  object,
  oneOf,
  unsafe,
  uuid,
} from '../types.ts'
import { command } from './contract.ts'

/** Event times of an incident. `endedAt` null: the condition holds. */
const times = { startedAt: instant, openedAt: instant, endedAt: nullable(instant), reopened: int }
const timesSchema = object(times)
export type IncidentTimesInput = Infer<typeof timesSchema>

/** The fields of a stored incident on which a change was decided; the change is refused if they have changed. */
const basis = object({ state: incident.properties.state, cause: nullable(incidentCause), ...times })

const open = object({
  type: literal('open'),
  id: uuid,
  ruleId: id,
  /** Version of the rule: the change is refused if the rule has another. */
  activeFrom: instant,
  subject: incidentSubject,
  detail: incidentDetail,
  times: timesSchema,
})
const setTimes = object({ type: oneOf(['correct', 'resume']), id: uuid, basis, times: timesSchema })
const resolve = object({
  type: literal('resolve'),
  id: uuid,
  basis,
  times: timesSchema,
  resolvedAt: instant,
  cause: oneOf(['condition', 'rule', 'subject', 'record']),
})
const retract = object({ type: literal('retract'), id: uuid, basis, mergedInto: nullable(uuid) })
/** A step is due: one notice for each of its targets. */
const step = object({ type: literal('step'), id: uuid, step: integer(1, 10), repeat: integer(0, 100) })

export type IncidentChangeInput =
  Infer<typeof open> | Infer<typeof setTimes> | Infer<typeof resolve> | Infer<typeof retract> | Infer<typeof step>

/** Limit of the changes of one command. */
export const maxIncidentChanges = 1_000
const changes = list(unsafe<IncidentChangeInput>({ anyOf: [open, setTimes, resolve, retract, step] }), {
  minItems: 1,
  maxItems: maxIncidentChanges,
})

/** The owner of a partition that sends a command. */
export const partitionOwner = { partition: integer(0, 1_000_000), fence: integer(0, 1e9) }
const by = { by: incidentActor }

/** Commands on incidents. Those of the evaluation carry the fence of its partition: a lower one is rejected. */
export const incidentCommands = {
  /** Returns the ids of incidents whose changes were refused: their state has changed since they were decided. */
  'incident.evaluate': command(object({ ...partitionOwner, changes }), object({ refused: list(uuid) })),
  /** Stores how far a partition is evaluated. `gaps` are added. */
  'alertEvaluation.put': command(
    object({
      ...partitionOwner,
      evaluatedTo: instant,
      gaps: list(object({ startAt: instant, endAt: instant }), { maxItems: maxGaps }),
    }),
    alertEvaluation,
  ),
  /** Opens an incident; if the machine has an unresolved call of this kind, adds a comment to it. */
  'call.open': command(object({ machineId: uuid, kind: id, note: callNote, ...by }), incident),
  'incident.acknowledge': command(object({ id: uuid, ...by }), incident),
  'incident.resolve': command(object({ id: uuid, ...by }), incident),
  /** `userId` null: no user is assigned. */
  'incident.assign': command(object({ id: uuid, userId: nullable(uuid) }), incident),
  'incident.comment': command(object({ id: uuid, text: commentText, ...by }), incident),
} as const
