/** Dimension by which reports group or filter. */
export interface Grouping {
  readonly title: string
  /** `time` groups are time buckets; `entity` groups have an id and a name. */
  readonly kind: 'time' | 'entity'
  /**
   * Whether an instant may belong to several groups of the dimension, so that the groups may sum to more than their
   * parent.
   */
  readonly overlaps: boolean
  /** Name of the group for time without a value of the dimension; null if there is always a value. */
  readonly absent: string | null
}

export const groupings = {
  machine: entity('Machine', 'No Machine'),
  machineGroup: { ...entity('Machine group', 'No Group'), overlaps: true },
  jobOperation: entity('Job operation', 'No Job'),
  jobOperationRun: entity('Job run', 'No Job'),
  operator: { ...entity('Operator', 'No Operator'), overlaps: true },
  shift: entity('Shift', 'No Shift'),
  reason: entity('Reason', null),
  nativeCode: entity('Native code', null),
  state: entity('State', null),
  incident: entity('Incident', null),
  rule: entity('Alert rule', 'No Rule'),
  severity: entity('Severity', null),
  kind: entity('Kind', null),
  acknowledgedBy: entity('Acknowledged by', 'Not acknowledged'),
  hour: bucket('Hour'),
  day: bucket('Day'),
  week: bucket('Week'),
  month: bucket('Month'),
  quarter: bucket('Quarter'),
} as const satisfies Record<string, Grouping>

export type GroupingName = keyof typeof groupings
export type TimeGrouping = {
  [Name in GroupingName]: (typeof groupings)[Name]['kind'] extends 'time' ? Name : never
}[GroupingName]
export type EntityGrouping = Exclude<GroupingName, TimeGrouping>

/** Field of a group's entity besides id and name. Flattened rows contain it as `<grouping><Field>`. */
export interface GroupingField {
  readonly name: string
  readonly title: string
  readonly kind: 'text' | 'flag' | 'instant'
  /** Whether files have a column for the field. */
  readonly inFiles: boolean
}

/** Fields by grouping, in the order of flattened rows and of files. A field is null if an entity lacks it. */
export const groupingFields: Readonly<Record<GroupingName, readonly GroupingField[]>> = {
  machine: [],
  machineGroup: [],
  jobOperation: [
    inFiles('jobName', 'Job name'),
    inFiles('lotName', 'Lot name'),
    inFiles('operationName', 'Operation name'),
    inFiles('partName', 'Part name'),
  ],
  jobOperationRun: [
    inRows('jobOperationId', 'Job operation id of job run'),
    inRows('machineId', 'Machine id of job run'),
    inFiles('startAt', 'Job run start', 'instant'),
    inFiles('endAt', 'Job run end', 'instant'),
  ],
  operator: [],
  shift: [inRows('scheduleId', 'Schedule id of shift'), inRows('optional', 'Shift optional', 'flag')],
  reason: [inRows('color', 'Reason color')],
  nativeCode: [inFiles('message', 'Native code message'), inFiles('state', 'Native code state')],
  state: [],
  incident: [inFiles('startedAt', 'Incident start', 'instant')],
  rule: [],
  severity: [],
  kind: [],
  acknowledgedBy: [],
  hour: [...bucketFields('Hour'), inRows('shopDate', 'Hour shop date', 'instant')],
  day: bucketFields('Day'),
  week: bucketFields('Week'),
  month: bucketFields('Month'),
  quarter: bucketFields('Quarter'),
}

/** Returns the name of an entity's field in a flattened row, such as `jobOperationRunStartAt`. */
export function flatFieldName(group: GroupingName, field: string): string {
  return `${group}${field.charAt(0).toUpperCase()}${field.slice(1)}`
}

/**
 * Names of filters. The values are ids of the grouping of the same name, with one exception: `nativeCode` has the codes
 * as machines send them, and `nativeCodeId` has their ids.
 */
const filterNames = [
  ...(['machine', 'machineGroup', 'jobOperation', 'shift', 'operator', 'reason'] as const),
  ...(['state', 'nativeCode', 'nativeCodeId'] as const),
  ...(['rule', 'severity', 'kind', 'acknowledgedBy'] as const),
] as const
export type FilterName = (typeof filterNames)[number]

/** Values of the filter and the grouping `state` of the alarm report. */
export const alarmStates = ['WARNING', 'FAULT'] as const

/** Reports by hour cover at most this many dates, the last ones of their range. */
export const maxHourDates = 7

/** Id of the group for time without a value of the dimension; also valid in filters. */
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
  incident: {
    groupings: [
      'machine',
      'machineGroup',
      'shift',
      'operator',
      'rule',
      'severity',
      'kind',
      'acknowledgedBy',
      'incident',
      'hour',
      'day',
      'week',
      'month',
      'quarter',
    ],
    filters: ['machine', 'machineGroup', 'shift', 'operator', 'rule', 'severity', 'kind', 'acknowledgedBy'],
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

function bucketFields(title: string): readonly GroupingField[] {
  return [inFiles('start', `${title} start`, 'instant'), inFiles('end', `${title} end`, 'instant')]
}

function inFiles(name: string, title: string, kind: GroupingField['kind'] = 'text'): GroupingField {
  return { name, title, kind, inFiles: true }
}

function inRows(name: string, title: string, kind: GroupingField['kind'] = 'text'): GroupingField {
  return { name, title, kind, inFiles: false }
}
