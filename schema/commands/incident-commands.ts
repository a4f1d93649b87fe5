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
import * as t from '../types.ts'
import { command } from './contract.ts'

/** Event times of an incident. `endedAt` null: the condition holds. */
const times = { startedAt: t.instant, openedAt: t.instant, endedAt: t.nullable(t.instant), reopened: t.int }
const timesSchema = t.object(times)
export type IncidentTimesInput = t.Infer<typeof timesSchema>

/** The fields of a stored incident on which a change was decided; the change is refused if they have changed. */
const basis = t.object({ state: incident.properties.state, cause: t.nullable(incidentCause), ...times })

const open = t.object({
  type: t.literal('open'),
  id: t.uuid,
  ruleId: t.id,
  /** Version of the rule: the change is refused if the rule has another. */
  activeFrom: t.instant,
  subject: incidentSubject,
  detail: incidentDetail,
  times: timesSchema,
})
const setTimes = t.object({ type: t.oneOf(['correct', 'resume']), id: t.uuid, basis, times: timesSchema })
const resolve = t.object({
  type: t.literal('resolve'),
  id: t.uuid,
  basis,
  times: timesSchema,
  resolvedAt: t.instant,
  cause: t.oneOf(['condition', 'rule', 'subject', 'record']),
})
const retract = t.object({ type: t.literal('retract'), id: t.uuid, basis, mergedInto: t.nullable(t.uuid) })
/** A step is due: one notice for each of its targets. */
const step = t.object({ type: t.literal('step'), id: t.uuid, step: t.integer(1, 10), repeat: t.integer(0, 100) })

export type IncidentChangeInput =
  | t.Infer<typeof open>
  | t.Infer<typeof setTimes>
  | t.Infer<typeof resolve>
  | t.Infer<typeof retract>
  | t.Infer<typeof step>

/** Limit of the changes of one command. */
export const maxIncidentChanges = 1_000
const changes = t.list(t.unsafe<IncidentChangeInput>({ anyOf: [open, setTimes, resolve, retract, step] }), {
  minItems: 1,
  maxItems: maxIncidentChanges,
})

/** The owner of a partition that sends a command. */
export const partitionOwner = { partition: t.integer(0, 1_000_000), fence: t.integer(0, 1e9) }
const by = { by: incidentActor }

/** Commands on incidents. Those of the evaluation carry the fence of its partition: a lower one is rejected. */
export const incidentCommands = {
  /** Returns the ids of incidents whose changes were refused: their state has changed since they were decided. */
  'incident.evaluate': command(t.object({ ...partitionOwner, changes }), t.object({ refused: t.list(t.uuid) })),
  /** Stores how far a partition is evaluated. `gaps` are added. */
  'alertEvaluation.put': command(
    t.object({
      ...partitionOwner,
      evaluatedTo: t.instant,
      gaps: t.list(t.object({ startAt: t.instant, endAt: t.instant }), { maxItems: maxGaps }),
    }),
    alertEvaluation,
  ),
  /** Opens an incident; if the machine has an unresolved call of this kind, adds a comment to it. */
  'call.open': command(t.object({ machineId: t.uuid, kind: t.id, note: callNote, ...by }), incident),
  'incident.acknowledge': command(t.object({ id: t.uuid, ...by }), incident),
  'incident.resolve': command(t.object({ id: t.uuid, ...by }), incident),
  /** `userId` null: no user is assigned. */
  'incident.assign': command(t.object({ id: t.uuid, userId: t.nullable(t.uuid) }), incident),
  'incident.comment': command(t.object({ id: t.uuid, text: commentText, ...by }), incident),
} as const
