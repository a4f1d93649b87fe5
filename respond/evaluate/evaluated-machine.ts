import type { IncidentChangeInput } from '../../schema/commands/incident-commands.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import type { IncidentChange } from '../incidents/incident-change.ts'
import { toInput } from './known-incident.ts'
import type { NextEvaluation } from './partition-evaluation.ts'

/** Changes, and when the incidents change without further documents. */
export interface EvaluatedMachine {
  readonly changes: readonly IncidentChangeInput[]
  readonly next: NextEvaluation
}

/** Returns the changes of all results, and the earliest time of each kind at which an incident changes. */
export function joinResults(results: readonly EvaluatedMachine[]): EvaluatedMachine {
  return {
    changes: results.flatMap(({ changes }) => changes),
    next: {
      limitMs: Math.min(...results.map(({ next }) => next.limitMs)),
      silentMs: Math.min(...results.map(({ next }) => next.silentMs)),
      silentForMs: Math.min(...results.map(({ next }) => next.silentForMs)),
      clockMs: Math.min(...results.map(({ next }) => next.clockMs)),
    },
  }
}

/** Returns the changes of stored incidents. */
export function toInputs(
  changes: readonly IncidentChange[],
  incidents: readonly IncidentRecord[],
): readonly IncidentChangeInput[] {
  const byId = new Map(incidents.map(incident => [incident.id, incident]))
  return changes.flatMap(change => {
    if (change.type === 'open') return []
    const incident = byId.get(change.id)
    return incident ? [toInput(change, incident)] : []
  })
}
