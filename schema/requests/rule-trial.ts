import { exampleIds } from '../example-ids.ts'
import { alertRuleInput } from '../records/alert-rule.ts'
import { incidentSubject } from '../records/incident.ts'
import {
  bool,
  described,
  id,
  type Infer,
  instant,
  int,
  list,
  looseInstant,
  named,
  nullable,
  object,
  withExamples,
} from '../types.ts'

/**
 * Limits of a trial of a rule: days of its range, incidents, notices of all incidents together, and seconds after which no
 * further read begins (the application waits 30 s for a response).
 */
export const ruleTrialLimits = { days: 31, incidents: 10_000, notices: 10_000, seconds: 20 } as const

/** Request body of a trial. */
export const ruleTrialInput = named(
  'AlertRuleTrialInput',
  withExamples(
    object({
      rule: described(alertRuleInput, 'Body of PUT /alert-rules/:id'),
      start: looseInstant,
      end: described(looseInstant, 'Time after now is ignored'),
    }),
    {
      rule: {
        name: 'Long stop',
        severity: 'warning',
        condition: { stop: { reasons: [] } },
        forMs: 600_000,
        steps: [{ afterMs: 0, until: 'acknowledged', targets: [exampleIds.alertTarget], repeatMs: null }],
      },
      start: '2026-03-02T00:00:00.000Z',
      end: '2026-03-09T00:00:00.000Z',
    },
  ),
)

const triedNotice = named(
  'AlertRuleTrialNotice',
  object({ at: instant, step: described(int, 'Numbered from 1'), targetId: id }),
)

const triedIncident = named(
  'AlertRuleTrialIncident',
  object({
    subject: incidentSubject,
    startedAt: instant,
    openedAt: instant,
    endedAt: described(nullable(instant), 'null: the condition holds at the end'),
    notices: described(list(triedNotice), 'By time, if the incident is not acknowledged'),
  }),
)

/** Response of a trial. */
export const ruleTrial = named(
  'AlertRuleTrial',
  object({
    incidents: described(list(triedIncident), 'By opening'),
    hasMore: described(
      bool,
      `Whether there are more than ${ruleTrialLimits.incidents} incidents or ${ruleTrialLimits.notices} notices: the first ones are returned`,
    ),
    untriedMachines: described(
      int,
      `Number of machines of the rule that were not tried, because the trial took ${ruleTrialLimits.seconds} s; \`incidents\` contains those of the others. 0: all were tried`,
    ),
  }),
)
export type RuleTrial = Infer<typeof ruleTrial>
