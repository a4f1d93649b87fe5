import * as fc from 'fast-check'
import { tellable, tellPlant, tellTo } from '../end-to-end/tell-plant.ts'
import { arbitraryPlant, arbitraryPlantWithRequests } from '../oracle/plant.ts'
import type { TestService } from '../support/service.ts'

/** A request whose response is part of a fixture. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The key of the request; default: the key of the tests. */
  readonly key?: string
}

const requestCount = 24
const lists = [
  'settings',
  'machines',
  'machine-groups',
  'schedules',
  'operators',
  'downtime-reasons',
  'part-adjustment-types',
  'job-operations',
  'annotations',
  'operator-runs',
  'part-adjustments',
  'alert-rules',
  'alert-targets',
  'alert-pauses',
  'audit?limit=100',
]
const documents = [
  '{ alarms(order_by: [{ alarmId: asc }]) { alarmId metricKey startAt endAt nativeCode state } }',
  '{ activities(limit: 300, order_by: [{ activityId: asc }]) { activityId activityType startAt endAt } }',
  '{ activitySets(order_by: [{ activitySetRef: asc }]) { activitySetRef erpJobOperationRunId openedAt closedAt operation { name } } }',
  '{ jobOperations(order_by: [{ operationId: asc }]) { operationId jobName lotName operationName partName } }',
  '{ operatorRuns(order_by: [{ operatorRunId: asc }]) { operatorRunId startAt endAt operator { name } machine { name } } }',
  '{ annotations(order_by: [{ annotationId: asc }]) { annotationId startAt endAt note annotationType { name } } }',
  '{ partAdjustments(order_by: [{ partAdjustmentId: asc }]) { partAdjustmentId adjustedAt count scrapCount message } }',
  '{ rejects(order_by: [{ rejectId: asc }]) { rejectId rejectedAt count scrapCount rejectReason { name } } }',
  '{ shifts(order_by: [{ shiftRef: asc }]) { shiftRef shiftId name optional schedule { name } } }',
  '{ machines(order_by: [{ machineRef: asc }]) { machineRef currentStates(order_by: [{ metricKey: asc }, { type: asc }]) { metricKey type value startAt } } }',
]

/** A machine whose equal hours before 2025 share rows of the store. */
const oldMachine = { id: '5d0cf9a4-6f8e-4f3a-9a40-0d6d2f0c9f11', from: '2024-11-20', until: '2025-01-06' } as const
const oldReports = ['production', 'downtime'].map(report => ({
  method: 'POST',
  path: `/reports/${report}`,
  body: {
    startDay: oldMachine.from,
    endDay: oldMachine.until,
    data: [{ metric: report === 'production' ? 'timeInCycle' : 'duration' }],
    groupBy: [{ group: 'day' }],
    filter: { machine: [oldMachine.id] },
  },
}))

/**
 * Creates a random plant over HTTP: samples and records of every kind. Returns the requests whose responses depend on
 * them. Equal seeds give equal plants.
 */
export async function createPlant(
  service: Pick<TestService, 'call' | 'settled'>,
  { seed, nowMs }: { readonly seed: number; readonly nowMs: number },
): Promise<readonly RecordedRequest[]> {
  const [made] = fc.sample(arbitraryPlantWithRequests({ nowMs, tag: 1 }, requestCount), { seed, numRuns: 1 })
  const [other] = fc.sample(arbitraryPlant({ nowMs, tag: 1 }), { seed: seed + 1, numRuns: 1 })
  if (!made || !other) throw new Error('fast-check makes a plant')
  const plant = tellable(made.plant, nowMs)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the plant uses `call` only
  await tellPlant(service as TestService, plant, { other, seed })
  await createOthers(
    service,
    plant.machines.map(({ id }) => id),
  )
  await service.settled()
  const reports = made.requests.map(({ report, ...body }) => ({ method: 'POST', path: `/reports/${report}`, body }))
  const reads = lists.map(path => ({ method: 'GET', path: `/${path}` }))
  const queries = documents.map(query => ({ method: 'POST', path: '/graphql', body: { query } }))
  return [...reports, ...oldReports, ...reads, ...queries]
}

/** The kinds of records that no report reads. */
async function createOthers(service: Pick<TestService, 'call'>, machineIds: readonly string[]): Promise<void> {
  const tell = tellTo(service)
  const machines = machineIds.slice(0, 1).map(machineId => ({ machineId }))
  await tell('PUT', '/connectors/posted', {
    name: 'Posted',
    kind: 'http',
    machines,
    rules: [{ from: 'W4', key: 'execution' }],
  })
  await tell('PUT', '/alert-rules/stop', { name: 'Stop', severity: 'info', condition: { stop: { reasons: [] } } })
  await tell('PUT', '/alert-pauses/pause', { startAt: '2026-03-07T14:00:00.000Z', endAt: '2026-03-07T20:00:00.000Z' })
  await tell('PUT', '/alert-targets/hook', { name: 'Hook', kind: 'webhook', url: 'https://hooks.plant.example/takt' })
  await tell('PUT', '/alert-targets/mail', { name: 'Mail', kind: 'mail', addresses: ['shift@plant.example'] })
  await tell('PUT', `/machines/${oldMachine.id}`, { name: 'Old' })
  const samples = [
    [`${oldMachine.from}T08:00:00Z`, 'ACTIVE'],
    ['2024-12-02T10:00:00Z', 'READY'],
    ['2025-01-03T10:00:00Z', 'ACTIVE'],
    [`${oldMachine.until}T10:00:00Z`, 'READY'],
  ].map(([timestamp, value]) => ({
    machineId: oldMachine.id,
    timestamp,
    key: 'execution',
    type: 'EXECUTION',
    value,
  }))
  await tell('POST', '/ingest/samples', samples)
}
