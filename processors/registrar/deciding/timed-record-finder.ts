import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { JobRunRecord } from '../../../schema/records/job-run.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../../schema/records/operator-run.ts'
import type { RecordKinds } from '../../../schema/records/record-kinds.ts'
import type { TimedKindName, TimedRecords } from '../../../schema/records/timed-records.ts'
import { compareRuns } from '../../records/machine-histories.ts'
import { canonicalId } from '../../records/record-ids.ts'
import type { Records } from '../../records/records.ts'
import { maxSignInMs } from '../../../schema/records/company.ts'
import type { StoredReads } from './stored-reads.ts'
import { compareTexts } from '../../../shared/collections/compare-texts.ts'

type Machine = Pick<MachineRecord, 'id' | 'companyId'>

/** Finds records with a time, in memory or else in the store. Methods throw `NotRead`. */
export class TimedRecordFinder {
  readonly #records: Records
  readonly #reads: StoredReads

  constructor(records: Records, reads: StoredReads) {
    this.#records = records
    this.#reads = reads
  }

  /** Returns a record of a company; null if there is none. Ids are compared as by `Records.get`. */
  get<K extends TimedKindName>(kind: K, companyId: string, id: string): RecordKinds[K] | null {
    const found = this.#records.get(kind, companyId, id)
    if (found || this.#records.horizonMs === -Infinity) return found
    const request = { kind, companyId, id: kind === 'jobRun' ? id : canonicalId(id) }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record of the kind of the request
    return this.#reads.get('record', request) as RecordKinds[K] | null
  }

  /** Returns annotations of a machine, by start: at least those that overlap a span. `toMs`: Infinity for no end. */
  annotationsIn(machine: Machine, fromMs: number, toMs: number): readonly AnnotationRecord[] {
    const recent = this.#records.annotationsOf(machine.id)
    const stored = this.#olderOf(machine, fromMs, Math.min(toMs, this.#records.horizonMs))
    return stored ? union(stored.annotations, recent) : recent
  }

  /** Returns sign-ins at a machine, by start: at least those that are in force at an instant, UTC ms. */
  signInsAt(machine: Machine, atMs: number): readonly OperatorRunRecord[] {
    const recent = this.#records.operatorRunsOf(machine.id)
    if (atMs >= this.#records.signInsInMemoryFromMs(machine.companyId)) return recent
    return union(this.#span(machine, atMs, atMs + 1).operatorRuns, recent)
  }

  /** Returns job runs of a machine: at least a run and those that start after it until an instant, UTC ms. */
  runsFrom(run: JobRunRecord, toMs: number): readonly JobRunRecord[] {
    const recent = this.#records.runsOf(run.machineId)
    if (recent.some(({ ref }) => ref === run.ref)) return recent
    const fromMs = Date.parse(run.startAt)
    const machine = { id: run.machineId, companyId: run.companyId }
    const { jobRuns } = this.#span(machine, fromMs, Math.max(fromMs, toMs) + 1)
    return [...new Map([...jobRuns, ...recent].map(each => [each.ref, each])).values()].sort(compareRuns)
  }

  #olderOf(machine: Machine, fromMs: number, toMs: number): TimedRecords | null {
    return fromMs >= this.#records.horizonMs ? null : this.#span(machine, fromMs, toMs)
  }

  #span({ id: machineId, companyId }: Machine, fromMs: number, toMs: number): TimedRecords {
    const settings = this.#records.company(companyId)?.settings
    const maxMs = settings ? maxSignInMs(settings) : 0
    return this.#reads.get('span', { companyId, machineId, fromMs, toMs, maxSignInMs: maxMs })
  }
}

function union<R extends { readonly id: string; readonly startAt: string }>(
  stored: readonly R[],
  recent: readonly R[],
): readonly R[] {
  const all = new Map([...stored, ...recent].map(record => [record.id, record]))
  return [...all.values()].sort((a, b) => compareTexts(a.startAt, b.startAt) || compareTexts(a.id, b.id))
}
