/* oxlint-disable eslint/no-unused-vars -- records without what a client doesn't tell */
import { randomUUID } from 'node:crypto'
import type { AnnotationRecord, AnnotationResponse } from '../../schema/records/annotation.ts'
import type { DowntimeReasonRecord } from '../../schema/records/downtime-reason.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeRecord } from '../../schema/records/part-adjustment-type.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { OraclePlant } from '../oracle/types.ts'
import { readAs } from '../support/read-as.ts'
import type { TestService } from '../support/service.ts'
import { postSamples } from './plant-service.ts'
import { inRandomOrder, type Step } from './random-order.ts'
import { hourMs } from '../../shared/time/units.ts'

/** Settings of a service that receives many changes while it processes samples. */
export const longChangeTimeout = { TAKT_CHANGE_TIMEOUT_MS: '60000' } as const

/** Sends a request that must succeed; resolves to its response. */
export type Tell = (method: string, path: string, body?: unknown) => Promise<unknown>

export function tellTo({ call }: Pick<TestService, 'call'>): Tell {
  return async (method, path, body) => {
    const answer = await call(method, path, body)
    if (answer.status >= 300)
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

/**
 * Sends a plant to a service over HTTP as clients do: samples and every kind of record, in a random order, first with content that is
 * wrong (as in `other`) or superfluous, which is corrected and deleted later. `plant` must be `tellable`.
 */
export async function tellPlant(
  service: TestService,
  plant: OraclePlant,
  { other, seed }: { readonly other: OraclePlant; readonly seed: number },
): Promise<void> {
  const tell = tellTo(service)
  const steps = [
    ...settingsSteps(plant, other, tell),
    ...namedSteps(plant, other, tell),
    ...machineSteps(plant, other, tell),
    ...runSteps(plant, tell),
    ...signInSteps(plant, tell),
    ...annotationSteps(plant, tell),
    ...adjustmentSteps(plant, tell),
    ...sampleSteps(service, plant),
  ]
  await inRandomOrder(steps, seed)
}

/** The plant without content that cannot be sent over HTTP, with machines created at the time when the service receives them. */
export function tellable(plant: OraclePlant, createdMs: number): OraclePlant {
  const machines = new Set(plant.machines.map(({ id }) => id))
  return {
    ...plant,
    machines: plant.machines.map(machine => Object.assign({}, machine, { createdAt: isoOf(createdMs) })),
    operations: plant.operations.map(operation => {
      const workCenters = operation.workCenters.filter(it => it.machineId === null || machines.has(it.machineId))
      return Object.assign({}, operation, { workCenters })
    }),
    operatorRuns: tellableSignIns(plant.operatorRuns),
  }
}

/** An operator signed in on a machine cannot sign in there again: of open sign-ins, only those long after the previous one are kept. */
function tellableSignIns(runs: readonly OperatorRunRecord[]): readonly OperatorRunRecord[] {
  const kept: OperatorRunRecord[] = []
  for (const run of runs) {
    const isNear = (it: OperatorRunRecord) =>
      placeOf(it) === placeOf(run) && Math.abs(Date.parse(it.startAt) - Date.parse(run.startAt)) < 16 * hourMs
    if (run.endAt !== null || !kept.some(it => it.endAt === null && isNear(it))) kept.push(run)
  }
  return kept
}

function placeOf({ machineId, operatorId }: OperatorRunRecord): string {
  return `${machineId} ${operatorId}`
}

function settingsSteps(plant: OraclePlant, other: OraclePlant, tell: Tell): Step[] {
  return twice('settings', [], [other.company, plant.company], settings => tell('PUT', '/settings', settings))
}

/** Steps that put named records under their ids; one of each kind is also deleted again. */
function namedSteps(plant: OraclePlant, other: OraclePlant, tell: Tell): Step[] {
  const put = (path: string) => (body: { readonly id: string | number }) => tell('PUT', `${path}/${body.id}`, body)
  const wrong = <T extends object>(record: T, changes: Partial<T>): T => Object.assign({}, record, changes)
  const schedules = plant.schedules.flatMap((it, index) => {
    const { versions = [], exceptions = [] } = other.schedules[index] ?? {}
    const first = wrong(it, { name: 'Wrong', versions, exceptions })
    return twice(`schedule ${it.id}`, [], [first, it], schedule => put('/schedules')(scheduleBody(schedule)))
  })
  const groups = plant.groups.flatMap(it =>
    twice(`group ${it.id}`, [], [wrong(it, { name: 'Wrong' }), it], ({ id, name }) =>
      tell('PUT', `/machine-groups/${id}`, { name }),
    ),
  )
  const operators = plant.operators.flatMap(it =>
    twice(`operator ${it.id}`, [], [wrong(it, { name: 'Wrong' }), it], put('/operators')),
  )
  const reasons = plant.reasons.flatMap(it =>
    twice(`reason ${it.id}`, [], [wrong(it, { name: 'Wrong', planned: !it.planned }), it], reason =>
      put('/downtime-reasons')(reasonBody(reason)),
    ),
  )
  const types = plant.adjustmentTypes.flatMap(it => {
    const rejectBehavior = it.rejectBehavior === 'nonconform' ? 'operator' : 'nonconform'
    return twice(`type ${it.id}`, [], [wrong(it, { name: 'Wrong', rejectBehavior }), it], type =>
      put('/part-adjustment-types')(typeBody(type)),
    )
  })
  const operations = plant.operations.flatMap(it => {
    const needs = it.workCenters.flatMap(center => [
      `group ${center.machineGroupId}`,
      ...(center.machineId === null ? [] : [`machine ${center.machineId}`]),
    ])
    const first = wrong(it, { workCenters: [], thresholds: {}, idealPartTime: 77, partCountMultiplier: 3 })
    return twice(`operation ${it.id}`, needs, [first, it], operation =>
      put('/job-operations')(operationBody(operation)),
    )
  })
  const superfluous = [
    briefly('/schedules/extra', { name: 'Extra' }, tell),
    briefly('/machine-groups/extra', { name: 'Extra' }, tell),
    briefly('/operators/extra', { name: 'Extra' }, tell),
    briefly('/downtime-reasons/900', { name: 'Extra' }, tell),
    briefly('/part-adjustment-types/900', { name: 'Extra' }, tell),
    briefly('/job-operations/extra', { jobName: 'Extra' }, tell),
  ].flat()
  return [...schedules, ...groups, ...operators, ...reasons, ...types, ...operations, ...superfluous]
}

/** At first with the settings of the other plant. */
function machineSteps(plant: OraclePlant, other: OraclePlant, tell: Tell): Step[] {
  return plant.machines.flatMap((machine, index) => {
    const needs = [`schedule ${machine.scheduleId}`, ...machine.machineGroupIds.map(id => `group ${id}`)]
    const first: MachineRecord = {
      ...machine,
      ...other.machines[index % other.machines.length],
      id: machine.id,
      erpMachineId: machine.erpMachineId,
      machineGroupIds: [],
      scheduleId: null,
      commissionedAt: null,
      decommissionedAt: null,
    }
    return twice(`machine ${machine.id}`, needs, [first, machine], ({ id, ref, companyId, createdAt, ...body }) =>
      tell('PUT', `/machines/${id}`, body),
    )
  })
}

/** Runs that start at the same instant are sent in their order. Each run is first stopped too late, and one is undone. */
function runSteps(plant: OraclePlant, tell: Tell): Step[] {
  const erpIdOf = (machineId: string) => plant.machines.find(({ id }) => id === machineId)?.erpMachineId
  const start = ({ id, machineId, jobOperationId, startAt, startInSetup }: JobRunRecord) => {
    const operation = plant.operations.find(it => it.id === jobOperationId)
    const { jobName, lotName, operationName, partName } = operation ?? {}
    const names = { jobName, lotName, operationName, partName }
    const run = { erpJobOperationRunId: id, erpMachineId: erpIdOf(machineId), ...names, startAt, startInSetup }
    return tell('POST', '/erp/jobdispatch/start', run)
  }
  const stop = (id: string, endAt: string) => tell('POST', '/erp/jobdispatch/stop', { erpJobOperationRunId: id, endAt })
  const needsOf = (run: JobRunRecord) => [`machine ${run.machineId}`, `operation ${run.jobOperationId}`]
  const told = plant.runs.flatMap(run => {
    const { id, startAt, endAt, productionAt } = run
    const before = plant.runs.findLast(
      it => it.machineId === run.machineId && it.startAt === startAt && it.startSequence < run.startSequence,
    )
    const key = `run ${id}`
    const produce = (instant: string) =>
      tell('POST', '/erp/jobdispatch/production', { erpJobOperationRunId: id, productionAt: instant })
    return [
      step(key, [...needsOf(run), ...(before ? [`run ${before.id}`] : [])], () => start(run)),
      step(`${key} again`, [key], () => start(run)),
      ...(endAt === null ? [] : twice(`${key} end`, [], [later(endAt), endAt], instant => stop(id, instant), [key])),
      ...(productionAt === null
        ? []
        : twice(`${key} production`, [], [later(productionAt), productionAt], produce, [key])),
    ]
  })
  const [first] = plant.runs
  if (!first) return told
  const undone = { ...first, id: 'undone', startAt: later(first.startAt) }
  return [
    ...told,
    step('run undone', needsOf(undone), () => start(undone)),
    step('undo', ['run undone'], () => stop(undone.id, undone.startAt)),
  ]
}

/**
 * Steps of the sign-ins. Closed sign-ins of an operator on a machine are sent before the open one: an operator who
 * is signed in cannot sign in again.
 */
function signInSteps(plant: OraclePlant, tell: Tell): Step[] {
  const told = plant.operatorRuns.toSorted((a, b) => Number(a.endAt === null) - Number(b.endAt === null))
  return told.flatMap((run, index) => {
    const { machineId, operatorId, startAt, endAt } = run
    const before = told.slice(0, index).findLast(it => placeOf(it) === placeOf(run))
    const needs = [`machine ${machineId}`, `operator ${operatorId}`, ...(before ? [`sign-in ${before.id}`] : [])]
    let id = ''
    const end = (instant: string) => tell('POST', `/operator-runs/${id}/end`, { endAt: instant })
    const signIn = async () => {
      id = readAs<{ readonly id: string }>(await tell('POST', '/operator-runs', { machineId, operatorId, startAt })).id
      if (endAt !== null) await end(later(startAt))
    }
    const key = `sign-in ${run.id}`
    const first = step(key, needs, signIn)
    return endAt === null ? [first] : [first, step(`${key} end`, [key], () => end(endAt))]
  })
}

/** Annotations are first sent at other times, with additional ones; remaining parts of cut ones are deleted at the end. */
function annotationSteps(plant: OraclePlant, tell: Tell): Step[] {
  const { annotations, machines } = plant
  const needsOf = ({ machineId, reasonId }: AnnotationRecord) => [`machine ${machineId}`, `reason ${reasonId}`]
  const put = ({ id, companyId, ...body }: AnnotationRecord) => tell('PUT', `/annotations/${id}`, body)
  const wrong = annotations.flatMap((it, index): AnnotationRecord[] => {
    const machineId = machines[index % machines.length]?.id ?? it.machineId
    const moved = { ...it, machineId, startAt: later(it.startAt), endAt: it.endAt && later(later(it.endAt)) }
    return [moved, { ...moved, id: randomUUID(), startAt: later(moved.startAt), endAt: null, note: 'beside' }]
  })
  const first = wrong.map((it, index) => step(`annotation, wrong ${index}`, needsOf(it), () => put(it)))
  const firstKeys = first.map(({ key }) => key)
  const right = annotations.map(it => step(`annotation ${it.id}`, [...firstKeys, ...needsOf(it)], () => put(it)))
  const ids = new Set(annotations.map(({ id }) => id))
  const tidy = async () => {
    for (const { id } of readAs<readonly AnnotationResponse[]>(await tell('GET', '/annotations')))
      if (!ids.has(id)) await tell('DELETE', `/annotations/${id}`)
  }
  return [
    ...first,
    ...right,
    step(
      'annotations',
      right.map(({ key }) => key),
      tidy,
    ),
  ]
}

/** First on another machine, at another time, with other counts; and one more of each, which is deleted. */
function adjustmentSteps(plant: OraclePlant, tell: Tell): Step[] {
  return plant.adjustments.flatMap((adjustment, index) => {
    const machineId = plant.machines[index % plant.machines.length]?.id ?? ''
    const wrong = {
      ...adjustment,
      machineId,
      adjustmentTime: later(adjustment.adjustmentTime),
      scrapCount: 7,
      count: 1,
    }
    const key = `adjustment ${adjustment.id}`
    const needs = [`machine ${machineId}`, `type ${adjustment.categoryId}`]
    let id = ''
    const create = async (it: PartAdjustmentRecord) =>
      readAs<{ readonly id: string }>(await tell('POST', '/part-adjustment', adjustmentBody(it))).id
    const superfluous = async () => tell('DELETE', `/part-adjustment/${await create(wrong)}`)
    return [
      step(key, needs, async () => (id = await create(wrong))),
      step(`${key} right`, [key, `machine ${adjustment.machineId}`], () =>
        tell(
          'PUT',
          `/part-adjustment/${id}`,
          index % 2 === 0 ? adjustmentBody(adjustment) : [adjustmentBody(adjustment)],
        ),
      ),
      step(`${key} superfluous`, needs, superfluous),
    ]
  })
}

function sampleSteps(service: TestService, { samples, machines }: OraclePlant): Step[] {
  const needs = machines.map(({ id }) => `machine ${id}`)
  const size = Math.max(1, Math.ceil(samples.length / 4))
  return Array.from({ length: Math.ceil(samples.length / size) }, (_, index) =>
    step(`samples ${index}`, needs, () => postSamples(service, samples.slice(index * size, (index + 1) * size), 200)),
  )
}

function step(key: string, after: readonly string[], run: () => Promise<unknown>): Step {
  return { key, after, run }
}

/** First the temporary version, then the final one, which may need more. */
function twice<T>(
  key: string,
  needs: readonly string[],
  [first, last]: readonly [first: T, last: T],
  tell: (content: T) => Promise<unknown>,
  firstNeeds: readonly string[] = [],
): Step[] {
  return [step(key, firstNeeds, () => tell(first)), step(`${key} right`, [key, ...needs], () => tell(last))]
}

/** Creates a record, and deletes it later. */
function briefly(path: string, body: object, tell: Tell): Step[] {
  return [step(path, [], () => tell('PUT', path, body)), step(`${path} gone`, [path], () => tell('DELETE', path))]
}

function later(instant: string): string {
  return isoOf(Date.parse(instant) + hourMs)
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

export function scheduleBody({ id, name, versions, exceptions }: ScheduleRecord) {
  const told = <T extends { readonly ref: number }>({ ref, ...shift }: T) => shift
  return {
    id,
    name,
    versions: versions.map(({ effectiveFrom, shifts }) => ({ effectiveFrom, shifts: shifts.map(told) })),
    exceptions: exceptions.map(({ date, shifts }) => ({ date, shifts: shifts.map(told) })),
  }
}

export function reasonBody({ companyId, ...body }: DowntimeReasonRecord) {
  return body
}

export function typeBody({ id, name, color, correction, scrap, rejectBehavior, hidden }: PartAdjustmentTypeRecord) {
  return { id, name, color, correction, scrap, reject_behavior: rejectBehavior, hidden }
}

export function operationBody({ companyId, ref, ...body }: JobOperationRecord) {
  return body
}

export function adjustmentBody(adjustment: PartAdjustmentRecord) {
  const { machineId, adjustmentTime, categoryId, message, scrapCount, count, rejectBehavior } = adjustment
  return {
    machine_id: machineId,
    adjustmenttime: adjustmentTime,
    category_id: categoryId,
    message,
    scrapcount: scrapCount,
    count,
    reject_behavior: rejectBehavior,
  }
}
