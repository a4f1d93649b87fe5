import type { GroupingName } from './groupings.ts'

/** German names of the groups for time without a value of a dimension. */
export const absentNamesDe = {
  machine: 'Ohne Maschine',
  machineGroup: 'Ohne Gruppe',
  jobOperation: 'Ohne Auftrag',
  jobOperationRun: 'Ohne Auftrag',
  operator: 'Ohne Bediener',
  shift: 'Außerhalb der Schichten',
  rule: 'Ohne Regel',
  acknowledgedBy: 'Nicht bestätigt',
} as const satisfies Partial<Record<GroupingName, string>>

/** German names of the groups of downtime without a recorded reason, by id. */
export const reasonNamesDe = { uncategorized: 'Nicht kategorisiert', setup: 'Rüsten' } as const
