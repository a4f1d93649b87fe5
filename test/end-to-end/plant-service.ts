import { encodeProjectedMark } from '../../processors/records/entry-codec.ts'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { createJobRunsProjection } from '../../service/roles/job-runs-projection.ts'
import { assignAlarmIds, type AssignAlarmIds } from '../../processors/alarms/assign-alarm-ids.ts'
import type { CompanyKind } from '../../processors/records/record-lookups.ts'
import type { IngestResponse } from '../../schema/requests/ingest.ts'
import type { Command, RecordEntry } from '../../schema/commands/command-log.ts'
import { topics, type WireSample } from '../../schema/topics.ts'
import type { OraclePlant } from '../oracle/types.ts'
import { startService, type TestService, type TestServiceOptions } from '../support/service.ts'
import { asCompanyRef, type CompanyRef } from '../../schema/refs.ts'

/** A change of a record as written: `Change` without the relation of kind and content. */
interface WrittenChange {
  readonly kind: CompanyKind | 'company'
  readonly id: string
  readonly before: object | null
  readonly after: object
}

/** Every record of a plant as a change of one log entry. The first company of the service takes the plant's settings. */
function plantChanges(plant: OraclePlant, companyId: string, companyRef: CompanyRef): readonly WrittenChange[] {
  const created = (kind: CompanyKind, records: readonly { readonly id: string | number }[]): WrittenChange[] =>
    records.map(record => {
      const after = Object.assign({}, record, { companyId })
      return { kind, id: String(record.id), before: null, after }
    })
  const company = { id: companyId, ref: companyRef, settings: plant.company }
  return [
    { kind: 'company', id: companyId, before: company, after: company },
    ...created('schedule', plant.schedules),
    ...created('machineGroup', plant.groups),
    ...created('machine', plant.machines),
    ...created('operator', plant.operators),
    ...created('downtimeReason', plant.reasons),
    ...created('partAdjustmentType', plant.adjustmentTypes),
    ...created('jobOperation', plant.operations),
    ...created('jobRun', plant.runs),
    ...created('operatorRun', plant.operatorRuns),
    ...created('annotation', plant.annotations),
    ...created('partAdjustment', plant.adjustments),
  ]
}

export async function appendChanges(service: TestService, changes: readonly WrittenChange[]): Promise<void> {
  // An entry needs the offset of a command in commands.v1. This command does nothing and creates no entry.
  const command = { id: randomUUID(), deadlineMs: 0, nowMs: 0, companyId: service.companyId, actor: 'test' }
  const payload: AssignAlarmIds = { companyRef: asCompanyRef(1), instances: [] }
  const nothing: Command = { ...command, name: assignAlarmIds, freshIds: [], payload }
  const [place] = await service.log.append(topics.commands, [
    { key: null, value: Buffer.from(JSON.stringify(nothing)), partition: 0 },
  ])
  const entry: Omit<RecordEntry, 'changes'> & { readonly changes: readonly WrittenChange[] } = {
    command: { ...command, name: 'test' },
    commandOffset: place?.offset ?? -1,
    outcome: { ok: true, result: null },
    changes,
  }
  const [position] = await service.log.append(topics.records, [
    { key: null, value: Buffer.from(JSON.stringify(entry)), partition: 0 },
    { key: null, value: encodeProjectedMark({ projectedOffset: entry.commandOffset }), partition: 0 },
  ])
  await service.records.waitFor(position?.offset ?? 0)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kind and record belong together by `plantChanges`
  await createJobRunsProjection(service.store).project([entry as RecordEntry], service.records, null)
}

/** Posts samples in groups of `size`, in the given order; all must be accepted. */
export async function postSamples(service: TestService, samples: readonly WireSample[], size: number): Promise<void> {
  for (let first = 0; first < samples.length; first += size) {
    const { status, body } = await service.call('POST', '/ingest/samples', samples.slice(first, first + size))
    const all: IngestResponse = {
      accepted: Math.min(size, samples.length - first),
      rejected: [],
      rejectedCount: 0,
      rejectedByCode: {},
    }
    if (status !== 202 || !isDeepStrictEqual(body, all)) throw new Error(`${status} ${JSON.stringify(body)}`)
  }
}

export const afterSamplesMs = 60_000

/** Returns an instant after the plant's clock and its last sample, UTC ms, from which a service accepts all samples. */
export function clockAfter({ nowMs, samples }: OraclePlant): number {
  const instants = samples.map(({ timestamp }) => Date.parse(timestamp)).filter(Number.isFinite)
  return Math.max(nowMs, ...instants) + afterSamplesMs
}

/**
 * Resolves when the processor has claimed its partitions. A claim decided after an entry of `appendChanges` has the offset
 * of an earlier command: its outcome would be skipped, and the claim would be repeated after 15 s.
 */
async function partitionsClaimed({ log, records }: TestService): Promise<void> {
  const partitions = await log.partitionCount(topics.stateSamples)
  const isClaimed = () =>
    Array.from({ length: partitions }, (_, number) => records.claim(`state-samples/${number}`)).every(claim => claim)
  if (isClaimed()) return
  await new Promise<void>(resolve => {
    const forget = records.onEntry(() => {
      if (!isClaimed()) return
      forget()
      resolve()
    })
  })
}

/** Starts a service with the records of a plant, and a clock after the last sample. */
export async function startPlant(plant: OraclePlant, options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startService({ nowMs: clockAfter(plant), ...options })
  await partitionsClaimed(service)
  const company = service.records.company(service.companyId)
  await appendChanges(service, plantChanges(plant, service.companyId, company?.ref ?? asCompanyRef(1)))
  return service
}

/**
 * Returns the plant before its final configuration: with the other plant's settings, without the records of its
 * machines.
 */
export function withSettingsOf(plant: OraclePlant, other: OraclePlant): OraclePlant {
  return {
    ...plant,
    company: other.company,
    schedules: plant.schedules.map((schedule, index) => ({
      ...schedule,
      versions: other.schedules[index]?.versions ?? [],
      exceptions: other.schedules[index]?.exceptions ?? [],
    })),
    machines: plant.machines.map((machine, index) => ({
      ...machine,
      ...other.machines[index % other.machines.length],
      id: machine.id,
      ref: machine.ref,
      machineGroupIds: machine.machineGroupIds,
      createdAt: machine.createdAt,
      scheduleId: null,
      commissionedAt: null,
      decommissionedAt: null,
    })),
    runs: [],
    operatorRuns: [],
    annotations: [],
    adjustments: [],
  }
}

/** Changes the records of a service to those of the plant. */
export async function changeTo(service: TestService, plant: OraclePlant): Promise<void> {
  const { records, companyId } = service
  const company = records.company(companyId)
  if (!company) throw new Error('The service has no company')
  const before = ({ kind, id }: WrittenChange) => (kind === 'company' ? company : records.get(kind, companyId, id))
  const changes = plantChanges(plant, companyId, company.ref)
  await appendChanges(
    service,
    changes.map(change => Object.assign({}, change, { before: before(change) })),
  )
}
