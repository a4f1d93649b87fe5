import { exampleIds } from '../example-ids.ts'
import { alertRuleInput } from '../records/alert-rule.ts'
import { incidentSubject } from '../records/incident.ts'
import * as t from '../types.ts'

/**
 * Limits of a trial of a rule: days of its range, incidents, notices of all incidents together, and seconds after which no
 * further read begins (the application waits 30 s for a response).
 */
export const ruleTrialLimits = { days: 31, incidents: 10_000, notices: 10_000, seconds: 20 } as const

/** Request body of a trial. */
export const ruleTrialInput = t.named(
  'AlertRuleTrialInput',
  t.withExamples(
    t.object({
      rule: t.described(alertRuleInput, 'Body of PUT /alert-rules/:id'),
      start: t.looseInstant,
      end: t.described(t.looseInstant, 'Time after now is ignored'),
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

const triedNotice = t.named(
  'AlertRuleTrialNotice',
  t.object({ at: t.instant, step: t.described(t.int, 'Numbered from 1'), targetId: t.id }),
)

const triedIncident = t.named(
  'AlertRuleTrialIncident',
  t.object({
    subject: incidentSubject,
    startedAt: t.instant,
    openedAt: t.instant,
    endedAt: t.described(t.nullable(t.instant), 'null: the condition holds at the end'),
    notices: t.described(t.list(triedNotice), 'By time, if the incident is not acknowledged'),
  }),
)

/** Response of a trial. */
export const ruleTrial = t.named(
  'AlertRuleTrial',
  t.object({
    incidents: t.described(t.list(triedIncident), 'By opening'),
    hasMore: t.described(
      t.bool,
      `Whether there are more than ${ruleTrialLimits.incidents} incidents or ${ruleTrialLimits.notices} notices: the first ones are returned`,
    ),
    untriedMachines: t.described(
      t.int,
      `Number of machines of the rule that were not tried, because the trial took ${ruleTrialLimits.seconds} s; \`incidents\` contains those of the others. 0: all were tried`,
    ),
  }),
)
export type RuleTrial = t.Infer<typeof ruleTrial>
