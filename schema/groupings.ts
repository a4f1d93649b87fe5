/** Dimension that reports group or filter by, under its name in the interface. */
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
export type TimeGrouping = {
  [Name in GroupingName]: (typeof groupings)[Name]['kind'] extends 'time' ? Name : never
}[GroupingName]
export type EntityGrouping = Exclude<GroupingName, TimeGrouping>

/** A field of a grouping's entities beside id and name. A flattened row has it as `<group><Field>`. */
export interface GroupingField {
  readonly name: string
  readonly title: string
  readonly kind: 'text' | 'flag' | 'instant'
  /** Whether files have a column for it. */
  readonly inFiles: boolean
}

/** In the order of flattened rows and of files. An entity that lacks a field has null there. */
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
  hour: [...bucketFields('Hour'), inRows('shopDate', 'Hour shop date', 'instant')],
  day: bucketFields('Day'),
  week: bucketFields('Week'),
  month: bucketFields('Month'),
  quarter: bucketFields('Quarter'),
}

/** The name of an entity's field in a flattened row: `jobOperationRunStartAt`. */
export function flatFieldName(group: GroupingName, field: string): string {
  return `${group}${field.charAt(0).toUpperCase()}${field.slice(1)}`
}

/**
 * Dimensions of filters. The ids are those of the grouping of the same name, except `nativeCode`, whose values are the
 * codes as machines send them: `nativeCodeId` accepts the ids.
 */
const filterNames = [
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

function bucketFields(title: string): readonly GroupingField[] {
  return [inFiles('start', `${title} start`, 'instant'), inFiles('end', `${title} end`, 'instant')]
}

function inFiles(name: string, title: string, kind: GroupingField['kind'] = 'text'): GroupingField {
  return { name, title, kind, inFiles: true }
}

function inRows(name: string, title: string, kind: GroupingField['kind'] = 'text'): GroupingField {
  return { name, title, kind, inFiles: false }
}
