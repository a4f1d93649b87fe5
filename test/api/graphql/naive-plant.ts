import { createHash } from 'node:crypto'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { RecordEntry } from '../../../schema/commands/command-log.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'

/*
 * A plant in memory: the expected rows of every GraphQL type, and the records and documents from which the product
 * computes them. It shares no code with the product.
 */
export type Scalar = string | number | boolean | null
export type Row = Readonly<Record<string, Scalar>>
/**
 * A relation: type, own column and column of the other type; for a relation by a third type, also that type with its
 * column for each side.
 */
export type Related = readonly [string, string, string, (readonly [string, string, string])?]
export interface Type {
  /** Types of the fields. 'text': letters; 'id': strings that are only compared. */
  readonly fields: Readonly<Record<string, 'text' | 'id' | 'int' | 'bool' | 'instant'>>
  readonly key: readonly string[]
  readonly order: readonly string[]
  readonly ones: Readonly<Record<string, Related>>
  readonly lists: Readonly<Record<string, Related>>
}

const ofMachine = { machine: ['machines', 'machineId', 'machineId'] } as const
const ofMachineRef = { machine: ['machines', 'machineRef', 'machineRef'] } as const
const adjustment = {
  fields: { count: 'int', scrapCount: 'int', rejectReasonId: 'int', activitySetRef: 'int', message: 'text' },
  ones: {
    ...ofMachine,
    rejectReason: ['rejectReasons', 'rejectReasonId', 'rejectReasonId'],
    activitySet: ['activitySets', 'activitySetRef', 'activitySetRef'],
  },
} as const

export const types: Readonly<Record<string, Type>> = {
  machines: {
    fields: { machineId: 'id', machineRef: 'int', name: 'text', make: 'text', decommissionedAt: 'instant' },
    key: ['machineId'],
    order: ['machineRef'],
    ones: { schedule: ['schedules', 'scheduleId', 'scheduleId'] },
    lists: {
      annotations: ['annotations', 'machineId', 'machineId'],
      operatorRuns: ['operatorRuns', 'machineId', 'machineId'],
      partAdjustments: ['partAdjustments', 'machineId', 'machineId'],
      rejects: ['rejects', 'machineId', 'machineId'],
      activitySets: ['activitySets', 'machineId', 'machineId'],
      metrics: ['metrics', 'machineRef', 'machineRef'],
      currentStates: ['currentStates', 'machineRef', 'machineRef'],
      currentAlarms: ['currentAlarms', 'machineRef', 'machineRef'],
      alarms: ['alarms', 'machineRef', 'machineRef'],
      machineGroups: ['machineGroups', 'machineId', 'machineGroupId', ['memberships', 'machineId', 'machineGroupId']],
    },
  },
  machineGroups: {
    fields: { machineGroupId: 'id', name: 'text' },
    key: ['machineGroupId'],
    order: ['machineGroupId'],
    ones: {},
    lists: {
      machines: ['machines', 'machineGroupId', 'machineId', ['memberships', 'machineGroupId', 'machineId']],
    },
  },
  metrics: {
    fields: { metricKey: 'text', type: 'text', subtype: 'text', category: 'text', machineRef: 'int' },
    key: ['machineRef', 'metricKey', 'type', 'subtype'],
    order: ['machineRef', 'metricKey'],
    ones: ofMachineRef,
    lists: {},
  },
  currentStates: {
    fields: { metricKey: 'text', value: 'text', startAt: 'instant', type: 'text', machineRef: 'int' },
    key: ['machineRef', 'metricKey', 'type', 'subtype'],
    order: ['machineRef', 'metricKey'],
    ones: ofMachineRef,
    lists: {},
  },
  currentAlarms: {
    fields: {
      alarmId: 'int',
      metricKey: 'text',
      startAt: 'instant',
      nativeCode: 'text',
      description: 'text',
      state: 'text',
    },
    key: ['machineRef', 'metricKey', 'nativeCode', 'state'],
    order: ['startAt', 'machineRef'],
    ones: ofMachineRef,
    lists: {},
  },
  alarms: {
    fields: {
      alarmId: 'int',
      metricKey: 'text',
      startAt: 'instant',
      endAt: 'instant',
      nativeCode: 'text',
      label: 'text',
      state: 'text',
    },
    key: ['machineRef', 'metricKey', 'nativeCode', 'state', 'startAt'],
    order: ['startAt', 'machineRef'],
    ones: ofMachineRef,
    lists: {},
  },
  activitySets: {
    fields: {
      activitySetRef: 'int',
      erpJobOperationRunId: 'text',
      openedAt: 'instant',
      closedAt: 'instant',
      startInSetup: 'bool',
      operationId: 'id',
    },
    key: ['activitySetRef'],
    order: ['openedAt'],
    ones: { ...ofMachine, operation: ['jobOperations', 'operationId', 'operationId'] },
    lists: { activities: ['activities', 'activitySetRef', 'activitySetRef'] },
  },
  activities: {
    fields: { activityId: 'id', activityType: 'text', startAt: 'instant', endAt: 'instant', activitySetRef: 'int' },
    key: ['activityId'],
    order: ['startAt'],
    ones: { activitySet: ['activitySets', 'activitySetRef', 'activitySetRef'] },
    lists: {},
  },
  jobOperations: {
    fields: { operationId: 'id', name: 'text', jobName: 'text', partName: 'text', archivedAt: 'instant' },
    key: ['operationId'],
    order: ['operationId'],
    ones: {},
    lists: { activitySets: ['activitySets', 'operationId', 'operationId'] },
  },
  annotations: {
    fields: { annotationId: 'id', startAt: 'instant', endAt: 'instant', note: 'text', annotationTypeId: 'int' },
    key: ['annotationId'],
    order: ['startAt'],
    ones: { ...ofMachine, annotationType: ['downtimeReasons', 'annotationTypeId', 'annotationTypeId'] },
    lists: {},
  },
  downtimeReasons: {
    fields: { annotationTypeId: 'int', name: 'text', planned: 'bool', group: 'text' },
    key: ['annotationTypeId'],
    order: ['annotationTypeId'],
    ones: {},
    lists: {
      annotations: ['annotations', 'annotationTypeId', 'annotationTypeId'],
      machineGroups: [
        'machineGroups',
        'annotationTypeId',
        'machineGroupId',
        ['reasonGroups', 'annotationTypeId', 'machineGroupId'],
      ],
    },
  },
  operators: {
    fields: { operatorId: 'id', name: 'text' },
    key: ['operatorId'],
    order: ['operatorId'],
    ones: {},
    lists: { operatorRuns: ['operatorRuns', 'operatorId', 'operatorId'] },
  },
  operatorRuns: {
    fields: { operatorRunId: 'id', startAt: 'instant', endAt: 'instant' },
    key: ['operatorRunId'],
    order: ['startAt'],
    ones: { ...ofMachine, operator: ['operators', 'operatorId', 'operatorId'] },
    lists: {},
  },
  partAdjustments: {
    fields: { partAdjustmentId: 'id', adjustedAt: 'instant', ...adjustment.fields },
    key: ['partAdjustmentId'],
    order: ['adjustedAt'],
    ones: adjustment.ones,
    lists: {},
  },
  rejects: {
    fields: { rejectId: 'id', rejectedAt: 'instant', ...adjustment.fields },
    key: ['rejectId'],
    order: ['rejectedAt'],
    ones: adjustment.ones,
    lists: {},
  },
  rejectReasons: {
    fields: { rejectReasonId: 'int', name: 'text' },
    key: ['rejectReasonId'],
    order: ['rejectReasonId'],
    ones: {},
    lists: {
      rejects: ['rejects', 'rejectReasonId', 'rejectReasonId'],
      partAdjustments: ['partAdjustments', 'rejectReasonId', 'rejectReasonId'],
    },
  },
  schedules: {
    fields: { scheduleId: 'id', name: 'text' },
    key: ['scheduleId'],
    order: ['scheduleId'],
    ones: {},
    lists: {
      shifts: ['shifts', 'scheduleId', 'scheduleId'],
      machines: ['machines', 'scheduleId', 'scheduleId'],
    },
  },
  shifts: {
    fields: { shiftRef: 'int', shiftId: 'text', name: 'text', optional: 'bool' },
    key: ['shiftRef'],
    order: ['scheduleId', 'shiftRef'],
    ones: { schedule: ['schedules', 'scheduleId', 'scheduleId'] },
    lists: { shiftTimes: ['shiftTimes', 'shiftRef', 'shiftRef'] },
  },
  shiftTimes: {
    fields: {
      shiftTimeId: 'id',
      effectiveFrom: 'text',
      exceptionDate: 'text',
      day: 'int',
      startTime: 'text',
      endTime: 'text',
      shiftRef: 'int',
    },
    key: ['shiftTimeId'],
    order: ['shiftRef', 'effectiveFrom', 'exceptionDate', 'day', 'startTime'],
    ones: { shift: ['shifts', 'shiftRef', 'shiftRef'] },
    lists: {},
  },
}

export const typeOf = (name: string): Type => {
  const found = types[name]
  if (!found) throw new Error(`No type ${name}`)
  return found
}

export interface Plant {
  readonly rows: Readonly<Record<string, readonly Row[]>>
  readonly entry: RecordEntry
  readonly autoProduction: boolean
  /** Writes data other than records: samples and documents. */
  readonly write: (store: Store) => Promise<void>
}

export const names = ['Mill', 'mill', 'Lathe', 'Ärger', 'a_b', 'x%y']
const hourMs = 3_600_000
/** An open end in documents. */
const noEnd = 9007199254740991

const isoOf = (ms: number) => new Date(ms).toISOString()

/** The UUID that GraphQL derives from strings: their MD5 with each half reversed. */
function uuidOf(...texts: readonly string[]): string {
  const digest = createHash('md5').update(texts.join('/')).digest()
  const hex = Buffer.concat([digest.subarray(0, 8).reverse(), digest.subarray(8).reverse()]).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/**
 * Creates a plant whose rows depend on the number of the company. Ids and names are the same in every plant, except the
 * refs, which are unique in an installation, so that a row of another company is recognized by its content.
 */
export function naivePlant(company: number, nowMs: number): Plant {
  let state = company
  const draw = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
  const companyId = `company-${company}`
  const autoProduction = company % 2 === 0
  const hoursAgo = (hours: number) => isoOf(nowMs - hours * hourMs)
  const at = () => hoursAgo(draw(50))
  const orNull = <T>(value: T): T | null => (draw(3) === 0 ? null : value)
  const pick = <T>(values: readonly T[]): T => {
    const value = values[draw(values.length)]
    if (value === undefined) throw new Error('The array is empty')
    return value
  }
  const many = <T>(count: number, make: (i: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, i) => make(i))
  const id = (kind: number, i: number) =>
    `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(i).padStart(12, '0')}`

  const schedules = many(2, i => ({ scheduleId: id(7, i), name: pick(names) }))
  const machineGroups = many(3, i => ({ machineGroupId: id(6, i), name: pick(names) }))
  const machines = many(5, i => ({
    machineId: id(1, i),
    machineRef: company * 100 + i,
    name: pick(names),
    make: orNull(pick(names)),
    decommissionedAt: orNull(hoursAgo(draw(50) - 10)),
    scheduleId: orNull(pick(schedules).scheduleId),
  }))
  const memberships = machines.flatMap(({ machineId }) =>
    machineGroups.filter(() => draw(2) === 0).map(({ machineGroupId }) => ({ machineId, machineGroupId })),
  )
  const downtimeReasons = many(3, i => ({
    annotationTypeId: 100 + i,
    name: pick(names),
    planned: draw(2) === 0,
    group: orNull(pick(names)),
  }))
  const reasonGroups = downtimeReasons.flatMap(({ annotationTypeId }) =>
    machineGroups.filter(() => draw(2) === 0).map(({ machineGroupId }) => ({ annotationTypeId, machineGroupId })),
  )
  const rejectReasons = many(2, i => ({ rejectReasonId: 150 + i, name: pick(names) }))
  const operators = many(3, i => ({ operatorId: id(2, i), name: pick(names) }))
  const jobOperations = many(4, i => {
    const [jobName, partName] = [pick(names), pick(['', ...names])]
    const name = [jobName, partName].filter(part => part !== '').join(' / ')
    return { operationId: id(3, i), name, jobName, partName, archivedAt: orNull(at()) }
  })
  const annotations = many(15, i => ({
    annotationId: id(4, i),
    machineId: pick(machines).machineId,
    annotationTypeId: draw(5) === 0 ? 9999 : pick(downtimeReasons).annotationTypeId,
    startAt: at(),
    endAt: orNull(at()),
    note: pick(['', ...names]),
  }))
  const operatorRuns = many(10, i => ({
    operatorRunId: id(5, i),
    machineId: pick(machines).machineId,
    operatorId: pick(operators).operatorId,
    startAt: at(),
    endAt: orNull(at()),
  }))

  // Job runs, with the start of production that auto-production detected.
  const told = many(14, i => {
    const startMs = nowMs - (draw(50) - 2) * hourMs
    const endMs = orNull(startMs + draw(6) * hourMs)
    return {
      id: `run ${i}`,
      ref: company * 1000 + i,
      machineId: pick(machines).machineId,
      jobOperationId: pick(jobOperations).operationId,
      startMs,
      endMs,
      startInSetup: draw(2) === 0,
      productionMs: orNull(startMs + (draw(5) - 1) * hourMs),
      autoMs: orNull(startMs + draw(4) * hourMs + 1000),
    }
  })
  const runs = told.map((run, i) => {
    const isEmpty = (each: (typeof told)[number]) => each.endMs === each.startMs
    const next = told
      .filter(each => each.machineId === run.machineId && !isEmpty(each))
      .filter(each => each.startMs > run.startMs || (each.startMs === run.startMs && told.indexOf(each) > i))
      .toSorted((a, b) => a.startMs - b.startMs)[0]
    const isCounted = !isEmpty(run) && next?.startMs !== run.startMs
    const untilMs = Math.min(run.endMs ?? noEnd, isCounted ? (next?.startMs ?? noEnd) : noEnd)
    return { ...run, isCounted, untilMs }
  })
  const shownEnd = (startMs: number, endMs: number) =>
    endMs === noEnd || (startMs <= nowMs && nowMs < endMs) ? null : isoOf(endMs)
  const activitySets = runs.map(run => ({
    activitySetRef: run.ref,
    erpJobOperationRunId: run.id,
    openedAt: isoOf(run.startMs),
    closedAt: shownEnd(run.startMs, run.untilMs),
    startInSetup: run.startInSetup,
    operationId: run.jobOperationId,
    machineId: run.machineId,
  }))
  const activities = runs
    .filter(({ isCounted }) => isCounted)
    .flatMap(({ ref, startMs, untilMs, startInSetup, productionMs, autoMs }) => {
      const toldMs = productionMs === null ? noEnd : Math.max(productionMs, startMs)
      const seenMs = autoProduction && autoMs !== null ? autoMs : noEnd
      const production = startInSetup ? Math.min(toldMs, seenMs) : startMs
      const spans = [
        ['setup', startMs, Math.min(production, untilMs)],
        ['production', production, untilMs],
      ] as const
      return spans
        .filter(([, from, to]) => from < to && from <= nowMs)
        .map(([activityType, from, to]) => ({
          activityId: uuidOf(companyId, activityType, String(ref)),
          activityType,
          startAt: isoOf(from),
          endAt: shownEnd(from, to),
          activitySetRef: ref,
        }))
    })

  const partAdjustments = many(12, i => {
    const [machineId, adjustedMs] = [pick(machines).machineId, nowMs - draw(50) * hourMs]
    const [run] = runs
      .filter(each => each.isCounted && each.machineId === machineId && each.startMs <= adjustedMs)
      .toSorted((a, b) => b.startMs - a.startMs)
    return {
      partAdjustmentId: id(8, i),
      machineId,
      rejectReasonId: orNull(pick(rejectReasons).rejectReasonId),
      adjustedAt: isoOf(adjustedMs),
      count: draw(9) - 4,
      scrapCount: draw(3),
      message: pick(['', ...names]),
      activitySetRef: run && run.untilMs > adjustedMs ? run.ref : null,
    }
  })
  const rejects = partAdjustments
    .filter(({ scrapCount }) => scrapCount !== 0)
    .map(({ partAdjustmentId: rejectId, adjustedAt: rejectedAt, ...rest }) =>
      Object.assign(rest, { rejectId, rejectedAt }),
    )

  // Samples. The current value of an event starts with its first equal sample, that of a reading with its last sample.
  const samples = machines.flatMap(({ machineRef }) =>
    [
      { metricKey: 'execution', type: 'EXECUTION', subtype: '', category: 'EVENT' },
      { metricKey: 'a_b', type: 'OTHER', subtype: 'x', category: '' },
      { metricKey: 'Srpm', type: 'ROTARY_VELOCITY', subtype: 'ACTUAL', category: 'SAMPLE' },
    ]
      .filter(() => draw(4) > 0)
      .map(({ metricKey, type, subtype, category }) => ({
        metricKey,
        type,
        subtype,
        category,
        machineRef,
        said: many(1 + draw(5), i => ({
          atMs: nowMs - (20 - i * 3) * hourMs - draw(1000),
          value: pick(['', 'Mill', 'mill']),
        })),
      })),
  )
  const metrics = samples.map(({ machineRef, metricKey, type, subtype, category }) => ({
    machineRef,
    metricKey,
    type,
    subtype,
    category: category === '' ? null : category,
  }))
  const sent = samples.map(({ said, category, ...metric }) => {
    let last = said.length - 1
    const value = said[last]?.value ?? ''
    if (category !== 'SAMPLE') while (said[last - 1]?.value === value) last--
    return { ...metric, value, startAt: isoOf(said[last]?.atMs ?? 0) }
  })
  // Hourly documents of the last whole hour, with segments of the state.
  const segments = machines
    .filter(() => draw(4) > 0)
    .map(({ machineRef }) => ({
      machineRef,
      parts: many(3, i => ({ fromMs: nowMs - hourMs + i * 1_200_000, status: draw(4), isInCycle: draw(2) === 1 })),
    }))
  const statusNames = ['UNAVAILABLE', 'INACTIVE', 'ACTIVE', 'FAULT']
  const made = segments.flatMap(({ machineRef, parts }) => {
    const valuesOf = {
      status: ['STATUS', (part: (typeof parts)[number]) => statusNames[part.status] ?? ''],
      inCycle: ['IN_CYCLE', (part: (typeof parts)[number]) => String(part.isInCycle)],
      MasterExecution: [
        'EXECUTION',
        (part: (typeof parts)[number]) => (part.isInCycle ? 'ACTIVE' : part.status === 0 ? 'UNAVAILABLE' : 'STOPPED'),
      ],
    } as const
    return Object.entries(valuesOf).map(([metricKey, [type, valueOf]]) => {
      const values = parts.map(valueOf)
      let last = values.length - 1
      const value = values[last] ?? ''
      while (last > 0 && values[last - 1] === value) last--
      return { machineRef, metricKey, type, subtype: '', value, startAt: isoOf(parts[last]?.fromMs ?? 0) }
    })
  })
  const currentStates = [...sent, ...made]

  // Alarms of the last two whole hours, each in the document of every hour that it overlaps.
  const slots = [nowMs - 2 * hourMs, nowMs - hourMs]
  const every = machines.flatMap((machine, m) =>
    many(draw(4), i => {
      const startMs = nowMs - 2 * hourMs + i * 1_500_000 + m * 1000
      const endMs = draw(2) === 0 ? null : startMs + draw(4) * 1_000_000 + 1
      return {
        machine,
        metricKey: pick(['system_cond', 'Door']),
        // Only one alarm of a code is active at a time.
        nativeCode: names[(m + i) % names.length] ?? '',
        message: pick(names),
        level: 1 + draw(2),
        startMs,
        endMs: endMs === null || endMs >= nowMs ? null : endMs,
        alarmId: orNull(company * 1000 + m * 10 + i),
      }
    }),
  )
  const shownAlarm = ({
    machine,
    metricKey,
    nativeCode,
    message,
    level,
    startMs,
    endMs,
    alarmId,
  }: (typeof every)[number]) => ({
    machineRef: machine.machineRef,
    alarmId,
    metricKey,
    nativeCode,
    description: message,
    label: message,
    state: level === 2 ? 'FAULT' : 'WARNING',
    startAt: isoOf(startMs),
    endAt: endMs === null ? null : isoOf(endMs),
  })
  const alarms = every.map(shownAlarm)
  const currentAlarms = every
    .filter(({ endMs, machine }) => endMs === null && (machine.decommissionedAt ?? '9') > isoOf(nowMs))
    .map(shownAlarm)

  // Versions of a schedule, the newest last, and an exception.
  const tellings = schedules.flatMap(({ scheduleId }, s) =>
    [
      { effectiveFrom: null, exceptionDate: '2026-12-24' },
      { effectiveFrom: null, exceptionDate: null },
      { effectiveFrom: '2026-01-01', exceptionDate: null },
    ].map(({ effectiveFrom, exceptionDate }, place) => ({
      scheduleId,
      effectiveFrom,
      exceptionDate,
      shifts: many(2, i => ({
        id: `shift ${i}`,
        ref: company * 100 + s * 10 + i,
        name: pick(names),
        optional: draw(2) === 0,
        start: i === 0 ? '06:00' : '14:00',
        end: i === 0 ? '14:00' : '22:00',
        days: many(2, day => 1 + place + day),
      })).filter((_, i) => i === 0 || draw(2) === 0),
    })),
  )
  const shifts = [
    ...new Map(
      tellings.flatMap(({ scheduleId, shifts: told }) =>
        told.map(
          ({ id: shiftId, ref, name, optional }) =>
            [ref, { shiftRef: ref, shiftId, name, optional, scheduleId }] as const,
        ),
      ),
    ).values(),
  ]
  const shiftTimes = tellings.flatMap(({ effectiveFrom, exceptionDate, shifts: told }) =>
    told.flatMap(({ ref, start, end, days }) =>
      (exceptionDate === null ? days : [null]).map(day => ({
        shiftTimeId: uuidOf(companyId, String(ref), effectiveFrom ?? '', exceptionDate ?? '', String(day ?? 0)),
        effectiveFrom,
        exceptionDate,
        day,
        startTime: start,
        endTime: end,
        shiftRef: ref,
      })),
    ),
  )

  const changes: unknown[] = []
  const add = (kind: string, recordId: string | number, after: object) =>
    changes.push({ kind, id: String(recordId), before: null, after: { id: recordId, companyId, ...after } })
  for (const { scheduleId, name } of schedules) {
    const own = tellings.filter(each => each.scheduleId === scheduleId)
    const versions = own.filter(({ exceptionDate }) => exceptionDate === null)
    const exceptions = own.filter(({ exceptionDate }) => exceptionDate !== null)
    add('schedule', scheduleId, {
      name,
      // The order of shifts in a version is arbitrary.
      versions: versions.map(({ effectiveFrom, shifts: told }) => ({ effectiveFrom, shifts: told })).toReversed(),
      exceptions: exceptions.map(({ exceptionDate, shifts: told }) => ({ date: exceptionDate, shifts: told })),
    })
  }
  for (const { machineGroupId, ...rest } of machineGroups) add('machineGroup', machineGroupId, rest)
  for (const { machineId, machineRef, ...rest } of machines) {
    const machineGroupIds = memberships.filter(each => each.machineId === machineId).map(each => each.machineGroupId)
    add('machine', machineId, { ref: machineRef, ...rest, machineGroupIds, thresholds: {} })
  }
  for (const { annotationTypeId, ...rest } of downtimeReasons) {
    const own = reasonGroups.filter(each => each.annotationTypeId === annotationTypeId)
    add('downtimeReason', annotationTypeId, { ...rest, machineGroupIds: own.map(each => each.machineGroupId) })
  }
  for (const { rejectReasonId, ...rest } of rejectReasons) add('partAdjustmentType', rejectReasonId, rest)
  for (const { operatorId, ...rest } of operators) add('operator', operatorId, { ref: 1, ...rest })
  for (const { operationId, name: _, ...rest } of jobOperations)
    add('jobOperation', operationId, { ref: 1, lotName: '', operationName: '', ...rest })
  for (const { annotationId, annotationTypeId, ...rest } of annotations)
    add('annotation', annotationId, { reasonId: annotationTypeId, ...rest })
  for (const { operatorRunId, ...rest } of operatorRuns) add('operatorRun', operatorRunId, rest)
  for (const [i, { id: runId, startMs, endMs, productionMs, autoMs: _, ...rest }] of told.entries())
    add('jobRun', runId, {
      ...rest,
      startAt: isoOf(startMs),
      endAt: endMs === null ? null : isoOf(endMs),
      productionAt: productionMs === null ? null : isoOf(productionMs),
      startSequence: i,
    })
  for (const { partAdjustmentId, adjustedAt, rejectReasonId, activitySetRef: _, ...rest } of partAdjustments)
    add('partAdjustment', partAdjustmentId, {
      adjustmentTime: adjustedAt,
      categoryId: rejectReasonId,
      rejectBehavior: null,
      ...rest,
    })
  const command = { id: id(9, company), deadlineMs: 0, nowMs, companyId, actor: 'test', name: 'test' }
  const entry: RecordEntry = {
    command,
    commandOffset: company,
    outcome: { ok: true, result: null },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- records as far as GraphQL reads them
    changes: changes as Change[],
  }

  const write = async (store: Store) => {
    const insert = async (table: string, columns: readonly string[], lines: readonly (readonly unknown[])[]) => {
      if (lines.length > 0) await store.insert(table, columns, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    }
    const second = (ms: number) => Math.floor(ms / 1000)
    await insert(
      'samples',
      ['company', 'machine', 'at_us', 'key', 'type', 'subtype', 'category', 'value'],
      samples.flatMap(({ machineRef, metricKey, type, subtype, category, said }) =>
        said.map(({ atMs, value }) => [company, machineRef, atMs * 1000, metricKey, type, subtype, category, value]),
      ),
    )
    const ofState = samples.filter(({ type }) => type === 'EXECUTION')
    await insert(
      'deciding_samples',
      ['company', 'machine', 'key', 'type', 'subtype', 'category', 'at_us', 'value'],
      ofState.flatMap(({ machineRef, metricKey, type, subtype, category, said }) =>
        said.map(({ atMs, value }) => [company, machineRef, metricKey, type, subtype, category, atMs * 1000, value]),
      ),
    )
    await insert(
      'latest_values',
      ['company', 'machine', 'key', 'type', 'subtype', 'category', 'at_us', 'value'],
      samples.map(({ machineRef, metricKey, type, subtype, category, said }) => {
        const { atMs, value } = said.at(-1) ?? { atMs: 0, value: '' }
        return [company, machineRef, metricKey, type, subtype, category, atMs * 1000, value]
      }),
    )
    const elements = slots.flatMap(slotMs =>
      machines.map(machine => {
        const here = every.filter(
          each => each.machine === machine && each.startMs < slotMs + hourMs && (each.endMs ?? noEnd) > slotMs,
        )
        const isLast = slotMs === nowMs - hourMs
        const parts = segments.find(each => isLast && each.machineRef === machine.machineRef)?.parts ?? []
        const list = <T>(of: (each: (typeof every)[number]) => T) => here.map(of)
        const endIn = ({ endMs }: (typeof every)[number]) =>
          endMs !== null && endMs <= slotMs + hourMs ? endMs : noEnd
        return [
          company,
          machine.machineRef,
          second(slotMs),
          1,
          list(each => each.metricKey),
          list(each => each.nativeCode),
          list(each => each.message),
          list(each => each.level),
          list(each => each.startMs),
          list(endIn),
          parts.map(({ fromMs }) => fromMs - slotMs),
          parts.map(({ fromMs }) => fromMs - slotMs + 1_200_000),
          parts.map(({ status }) => status),
          parts.map(({ isInCycle }) => Number(isInCycle)),
        ]
      }),
    )
    const alarmFields = ['key', 'code', 'message', 'level', 'start_ms', 'end_ms'].map(name => `alarm_${name}`)
    const segmentFields = ['start', 'end', 'status', 'in_cycle'].map(name => `segment_${name}`)
    await insert('hours', ['company', 'machine', 'slot', 'version', ...alarmFields, ...segmentFields], elements)
    await insert(
      'alarm_ids',
      ['company', 'machine', 'key', 'code', 'level', 'start_ms', 'id', 'version'],
      every.flatMap(({ machine, metricKey, nativeCode, level, startMs, alarmId }) => {
        const key = metricKey.toUpperCase().replace('_', '')
        return alarmId === null ? [] : [[company, machine.machineRef, key, nativeCode, level, startMs, alarmId, 1]]
      }),
    )
    await insert(
      'job_runs',
      ['company', 'run', 'id', 'start_ms', 'end_ms', 'until_ms', 'version'],
      runs.map(({ id: runId, ref, startMs, endMs, untilMs }) => [
        company,
        ref,
        runId,
        startMs,
        endMs ?? noEnd,
        untilMs,
        1,
      ]),
    )
    await insert(
      'hours',
      ['company', 'machine', 'slot', 'version', 'facts_run', 'facts_mode', 'facts_first'],
      told.flatMap(({ ref, machineId, autoMs }) => {
        if (autoMs === null) return []
        const slotMs = Math.floor(autoMs / hourMs) * hourMs
        const machine = machines.find(each => each.machineId === machineId)?.machineRef ?? 0
        // Each run has a version of its own, because several runs can have started production in one hour of a machine.
        return [[company, machine * 100 + (ref % 1000), second(slotMs), 1, [ref, ref], [2, 1], [autoMs - slotMs, 0]]]
      }),
    )
  }
  const rows = {
    machines,
    memberships,
    reasonGroups,
    machineGroups,
    metrics,
    currentStates,
    currentAlarms,
    alarms,
    activitySets,
    activities,
    jobOperations,
    annotations,
    downtimeReasons,
    operators,
    operatorRuns,
    partAdjustments,
    rejects,
    rejectReasons,
    schedules,
    shifts,
    shiftTimes,
  }
  return { rows, entry, autoProduction, write }
}
