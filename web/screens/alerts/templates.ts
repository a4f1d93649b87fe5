import type { RuleForm } from './rule-form.ts'
import type { Texts } from '../../texts/en.ts'

const minuteMs = 60_000

const empty = {
  severity: 'warning',
  groups: [],
  reasons: [],
  statuses: [],
  calls: [],
  check: 'lag',
  scheduled: false,
  notify: [],
  also: [],
} as const

/** Returns the forms of usual rules. */
export function templatesOf({ alerts: { usual } }: Texts): readonly RuleForm[] {
  return [
    {
      ...empty,
      name: usual.longStop,
      kind: 'stop',
      reasons: ['uncategorized'],
      forMs: 10 * minuteMs,
      scheduled: true,
    },
    { ...empty, name: usual.fault, kind: 'status', severity: 'critical', statuses: ['FAULT'], forMs: 5 * minuteMs },
    { ...empty, name: usual.call, kind: 'call' },
    { ...empty, name: usual.silent, kind: 'silent', forMs: 15 * minuteMs, scheduled: true },
    { ...empty, name: usual.connector, kind: 'connector', forMs: 5 * minuteMs },
    { ...empty, name: usual.lag, kind: 'system', check: 'lag' },
  ]
}
