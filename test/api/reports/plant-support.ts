import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { projectRecords } from '../../support/project-records.ts'
import { createJobRunsProjection } from '../../../service/roles/job-runs-projection.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { effectiveRuns } from '../../../processors/records/effective-runs.ts'
import { MachineInputCache } from '../../../processors/records/machine-input-cache.ts'
import { machineInputs, shareCalendars } from '../../../processors/records/machine-inputs.ts'
import { Records } from '../../../processors/records/records.ts'
import { computeHour } from '../../../processors/timeline/compute-hour.ts'
import { sortAndDeduplicate } from '../../../processors/timeline/order.ts'
import { initialState } from '../../../processors/timeline/state.ts'
import { createCompanyViews } from '../../../api/reports/company/company-view.ts'
import type { FilterView, NamedRun, NamedView } from '../../../api/reports/company/job-runs.ts'
import { createReports, type Reports, type ReportsDeps } from '../../../api/reports/reports.ts'
import { type HourDocument } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { type CompanyRecord, type CompanySettings, defaultCompanySettings } from '../../../schema/records/company.ts'
import { type MachineRecord, defaultMachineSettings } from '../../../schema/records/machine.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../../schema/records/job-run.ts'
import type { RecordEntry } from '../../../schema/commands/command-log.ts'
import type { RecordKind, RecordKinds } from '../../../schema/records/record-kinds.ts'
import { type Sample, omittedFields } from '../../../schema/sample.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

export const calendarOf = shareCalendars(createCalendar)

const noFiles = { create: () => Promise.reject(new Error('These reports have no files')) }

let companies = 0

/** Records in memory that tests create; each plant is its own company. */
export class TestPlant {
  readonly records = new Records()
  readonly company: CompanyRecord
  readonly #entries: RecordEntry[] = []
  #projected = 0

  constructor(settings: Partial<CompanySettings> = {}, ref = ++companies) {
    this.company = {
      id: `company-${ref}`,
      ref: asCompanyRef(ref),
      settings: { ...defaultCompanySettings, ...settings },
    }
    this.put('company', this.company)
  }

  put<K extends RecordKind>(kind: K, record: RecordKinds[K]): RecordKinds[K] {
    this.#change(kind, String(record.id), record)
    return record
  }

  /** Deletes a record; changes nothing if there is none. */
  remove(kind: RecordKind, id: string): void {
    if (this.#known(kind, id)) this.#change(kind, id, null)
  }

  #change(kind: RecordKind, id: string, after: object | null): void {
    const change = { kind, id, before: this.#known(kind, id), after }
    const offset = this.#entries.length
    const entry: RecordEntry = {
      command: { id: String(offset), deadlineMs: 0, nowMs: 0, companyId: null, actor: 'test', name: 'test' },
      commandOffset: offset,
      outcome: { ok: true, result: null },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kind and record belong together by the signature
      changes: [change as never],
    }
    this.#entries.push(entry)
    this.records.apply(entry, offset)
  }

  #known(kind: RecordKind, id: string): object | null {
    if (kind === 'company') return this.records.company(id)
    return kind === 'claim' || kind === 'installation' || kind === 'alertEvaluation'
      ? null
      : this.records.get(kind, this.company.id, id)
  }

  machine(ref: number, fields: Partial<MachineRecord> = {}): MachineRecord {
    return this.put('machine', {
      ...defaultMachineSettings,
      id: `00000000-0000-4000-8000-${String(ref).padStart(12, '0')}`,
      ref: asMachineRef(ref),
      companyId: this.company.id,
      name: `Machine ${ref}`,
      createdAt: '2026-01-01T00:00:00.000Z',
      ...fields,
    })
  }

  operation(ref: number, fields: Partial<JobOperationRecord> = {}): JobOperationRecord {
    return this.put('jobOperation', {
      id: `operation-${ref}`,
      ref: asMachineRef(ref),
      companyId: this.company.id,
      jobName: `J${ref}`,
      lotName: '',
      operationName: 'turn',
      partName: '',
      description: null,
      dueAt: null,
      partValue: null,
      quantityRequired: null,
      workCenters: [],
      thresholds: {},
      archivedAt: null,
      expectedSetupTime: null,
      idealPartTime: null,
      expectedPartTime: null,
      partCountMultiplier: null,
      ...fields,
    })
  }

  run(ref: number, machine: MachineRecord, fields: Partial<JobRunRecord> = {}): JobRunRecord {
    return this.put('jobRun', {
      id: `run-${ref}`,
      ref: asMachineRef(ref),
      companyId: this.company.id,
      machineId: machine.id,
      jobOperationId: 'operation-1',
      startInSetup: false,
      startAt: '2026-03-02T00:00:00.000Z',
      endAt: null,
      productionAt: null,
      startSequence: ref,
      ...fields,
    })
  }

  /** The machine's documents of [fromMs, toMs), computed from samples by the product's code. */
  documents(machine: MachineRecord, samples: readonly Sample[], fromMs: number, toMs: number): HourDocument[] {
    const inputs = machineInputs(this.records, machine, calendarOf)
    const documents: HourDocument[] = []
    let state = initialState()
    for (let slotMs = fromMs; slotMs < toMs; slotMs += hourMs) {
      const ofHour = samples.filter(({ atUs }) => atUs >= slotMs * 1000 && atUs < (slotMs + hourMs) * 1000)
      const { document, stateOut } = computeHour(inputs, slotMs, state, sortAndDeduplicate(ofHour), [])
      documents.push(document)
      state = stateOut
    }
    return documents
  }

  /** Writes the records to the store, if they have changed. */
  async project(into: Store): Promise<void> {
    const changed = this.#entries.slice(this.#projected)
    this.#projected = this.#entries.length
    await createJobRunsProjection(into).project(changed, this.records, null)
    await projectRecords(into, changed)
  }

  reports(store: Store, clock: () => number, more: Partial<Pick<ReportsDeps, 'files' | 'monotonicMs'>> = {}): Reports {
    const { records } = this
    const machineInputs = new MachineInputCache({ records, calendarOf })
    const reports = createReports({ store, records, calendarOf, machineInputs, clock, files: noFiles, ...more })
    const afterProjection =
      <A extends readonly unknown[], T>(read: (...args: A) => Promise<T>) =>
      async (...args: A): Promise<T> => {
        await this.project(store)
        return read(...args)
      }
    return {
      ...reports,
      production: afterProjection(reports.production),
      downtime: afterProjection(reports.downtime),
      quality: afterProjection(reports.quality),
      cycleTimes: afterProjection(reports.cycleTimes),
      plant: {
        ...reports.plant,
        timeline: afterProjection((...args) => reports.plant.timeline(...args)),
        microstops: afterProjection((...args) => reports.plant.microstops(...args)),
        downtimeRecords: afterProjection((...args) => reports.plant.downtimeRecords(...args)),
      },
    }
  }
}

/** The company's view at a time, with all job runs, computed from the records without the store. */
export function viewOf({ records, company }: TestPlant, nowMs: number): NamedView & FilterView {
  const views = createCompanyViews({ records, calendarOf, clock: () => nowMs })
  const view = views.of(company.id)
  views.stop()
  if (!view) throw new Error('There is no company')
  const runs = records.list('jobRun', company.id)
  const ofOperation = (id: string) => runs.filter(run => run.jobOperationId === id).map(({ ref }) => ref)
  const operations = new Map(records.list('jobOperation', company.id).map(each => [each.ref, each]))
  const named = new Map(runs.flatMap(run => namedRun(run, records, nowMs)))
  return { ...view, operations, runs: named, runsOfOperation: ofOperation }
}

function namedRun(run: JobRunRecord, records: Records, nowMs: number): readonly (readonly [number, NamedRun])[] {
  const operation = records.get('jobOperation', run.companyId, run.jobOperationId)
  if (!operation) return []
  const counted = effectiveRuns(records.runsOf(run.machineId)).find(each => each.run.ref === run.ref)
  const startMs = Date.parse(run.startAt)
  const untilMs = counted?.endMs ?? (run.endAt === null ? Infinity : Date.parse(run.endAt))
  const isOpen = untilMs === Infinity || (startMs <= nowMs && nowMs < untilMs)
  const { id, machineId, ref } = run
  return [[ref, { id, machineId, operation, startMs, endMs: isOpen ? null : untilMs }]]
}

export async function store(into: Store, documents: readonly HourDocument[], version = 1n): Promise<void> {
  await createDocumentStore(into).writeDocuments(documents.map(document => ({ ...document, version })))
}

export function sample(machine: MachineRecord, atMs: number, type: string, value: string | number): Sample {
  return {
    machineRef: machine.ref,
    atUs: atMs * 1000,
    key: type.toLowerCase(),
    type,
    subtype: '',
    category: type === 'SYSTEM' ? 'CONDITION' : 'EVENT',
    value: String(value),
    ...omittedFields,
  }
}
