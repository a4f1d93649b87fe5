/** What reports group and filter by: the names of the interface, and which report knows which. */
export interface Grouping {
  readonly title: string
  /** `time`: buckets; `entity`: something with an id and a name. */
  readonly kind: 'time' | 'entity'
  /** Whether one instant may belong to several of its groups, so that children needn't add up to their parent. */
  readonly overlaps: boolean
  /** Name of the item for what has no such dimension; null: everything has one. */
  readonly absent: string | null
}

export const groupings = {
  machine: entity('Machine', null),
  machineGroup: { ...entity('Machine group', 'No Group'), overlaps: true },
  jobOperation: entity('Job operation', 'No Job'),
  jobOperationRun: entity('Job run', 'No Job'),
  operator: { ...entity('Operator', 'No Operator'), overlaps: true },
  shift: entity('Shift', 'No Shift'),
  reason: entity('Reason', null),
  nativeCode: entity('Native code', null),
  state: entity('State', null),
  hour: bucket('Hour'),
  day: bucket('Day'),
  week: bucket('Week'),
  month: bucket('Month'),
  quarter: bucket('Quarter'),
} as const satisfies Record<string, Grouping>

export type GroupingName = keyof typeof groupings
export type TimeGrouping = 'hour' | 'day' | 'week' | 'month' | 'quarter'
export type EntityGrouping = Exclude<GroupingName, TimeGrouping>

/**
 * Dimensions that a filter may name; the ids are those of the grouping of the same name, but for `nativeCode`, whose values are
 * the codes as machines send them: `nativeCodeId` takes the ids.
 */
export const filterNames = [
  ...(['machine', 'machineGroup', 'jobOperation', 'shift', 'operator', 'reason'] as const),
  ...(['state', 'nativeCode', 'nativeCodeId'] as const),
] as const
export type FilterName = (typeof filterNames)[number]

/** Values of the filter by `state`, and its items. */
export const alarmStates = ['WARNING', 'FAULT'] as const

/** Id of the item for what has no such dimension; also legal in filters. */
export const absentId = 'none'

const byReason = {
  groupings: ['machine', 'machineGroup', 'jobOperation', 'shift', 'reason', 'day', 'week'],
  filters: ['machine', 'machineGroup', 'jobOperation', 'shift', 'reason'],
} as const

/** The groupings and filters of each report. */
export const reportDimensions = {
  production: {
    groupings: [
      'machine',
      'machineGroup',
      'jobOperation',
      'jobOperationRun',
      'operator',
      'hour',
      'shift',
      'day',
      'week',
      'month',
      'quarter',
    ],
    filters: ['machine', 'machineGroup', 'jobOperation', 'shift', 'operator'],
  },
  downtime: byReason,
  quality: byReason,
  alarm: {
    groupings: ['machine', 'machineGroup', 'nativeCode', 'state', 'hour', 'day', 'week'],
    filters: ['machine', 'machineGroup', 'state', 'nativeCode', 'nativeCodeId'],
  },
} as const satisfies Record<string, { groupings: readonly GroupingName[]; filters: readonly FilterName[] }>

export type ReportName = keyof typeof reportDimensions

export function isTimeGrouping(name: GroupingName): name is TimeGrouping {
  return groupings[name].kind === 'time'
}

function entity<Absent extends string | null>(title: string, absent: Absent) {
  return { title, kind: 'entity', overlaps: false, absent } as const
}

function bucket(title: string) {
  return { title, kind: 'time', overlaps: false, absent: null } as const
}
