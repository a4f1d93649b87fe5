import { type JobNames, namesKey } from '../../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import { canonicalId } from '../../records/record-ids.ts'
import type { Records } from '../../records/records.ts'
import { CommandRejection } from './command-rejection.ts'
import { maxActiveOperations, type StoredReads } from './stored-reads.ts'

/** Finds the job operations of a company, in memory or else in the store. Methods throw `NotRead`. */
export class JobOperationFinder {
  readonly #records: Records
  readonly #reads: Pick<StoredReads, 'get'>

  constructor(records: Records, reads: Pick<StoredReads, 'get'>) {
    this.#records = records
    this.#reads = reads
  }

  /** Returns the operation with an id (UUIDs in any letter case); null if there is none. */
  get(companyId: string, id: string): JobOperationRecord | null {
    const found = this.#records.get('jobOperation', companyId, id)
    if (found || this.#records.hasAllOperations) return found
    const stored = this.#reads.get('record', { kind: 'jobOperation', companyId, id: canonicalId(id) })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record of the kind of the request
    return stored as JobOperationRecord | null
  }

  /** Returns the operation with these names; null if there is none. */
  byNames(companyId: string, names: JobNames): JobOperationRecord | null {
    const found = this.#records.jobOperation(companyId, names)
    if (found || this.#records.hasAllOperations) return found
    const [stored = null] = this.#reads.get('operationsByNames', { companyId, names: [onlyNames(names)] })
    return stored
  }

  /** Returns the operations with any of these names, by `namesKey`. */
  *allByNames(companyId: string, names: readonly JobNames[]): Steps<ReadonlyMap<string, JobOperationRecord>> {
    const found = new Map<string, JobOperationRecord>()
    const missing: JobNames[] = []
    for (const each of names) {
      const recent = this.#records.jobOperation(companyId, each)
      if (recent) found.set(namesKey(each), recent)
      else missing.push(onlyNames(each))
      yield
    }
    if (missing.length === 0 || this.#records.hasAllOperations) return found
    for (const stored of this.#reads.get('operationsByNames', { companyId, names: missing }, 'all names')) {
      found.set(namesKey(stored), stored)
      yield
    }
    return found
  }

  /** Returns the operations that are not archived; throws 400 if they are too many for an entry of the log. */
  active(companyId: string): readonly JobOperationRecord[] {
    if (!this.#records.hasAllOperations) {
      const stored = this.#reads.get('activeOperations', { companyId })
      if (stored.length > maxActiveOperations) throw tooManyOperations()
      return stored
    }
    return this.#records.list('jobOperation', companyId).filter(({ archivedAt }) => archivedAt === null)
  }
}

function tooManyOperations(): CommandRejection {
  const message = `More than ${maxActiveOperations} job operations are not archived: archive them in parts`
  return new CommandRejection(400, 'TooLarge', message)
}

function onlyNames({ jobName, lotName, operationName, partName }: JobNames): JobNames {
  return { jobName, lotName, operationName, partName }
}
