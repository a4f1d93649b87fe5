import { expect } from 'chai'
import { CommandRejection } from '../../../../processors/registrar/deciding/command-rejection.ts'
import { JobOperationFinder } from '../../../../processors/registrar/deciding/job-operation-finder.ts'
import { maxActiveOperations } from '../../../../processors/registrar/deciding/stored-reads.ts'
import { Records } from '../../../../processors/records/records.ts'
import { defaultJobOperation, type JobOperationRecord } from '../../../../schema/records/job-operation.ts'

const operation: JobOperationRecord = { id: 'a', ref: 1, companyId: 'c', ...defaultJobOperation, jobName: 'J' }

describe('active job operations', () => {
  /** Finds operations of which none is in memory. */
  function finderOf(count: number): JobOperationFinder {
    const records = new Records()
    records.restoreFrom({
      horizonMs: -Infinity,
      signInsAfterMs: new Map(),
      firstRuns: new Map(),
      storedOperations: new Map(),
      settledFromMs: -Infinity,
    })
    const stored: readonly JobOperationRecord[] = Array.from({ length: count }, () => operation)
    return new JobOperationFinder(records, { get: () => stored })
  }

  it('More active operations than an entry of the log can contain are rejected, not archived in part', () => {
    expect(finderOf(maxActiveOperations).active('c')).to.have.length(maxActiveOperations)
    expect(() => finderOf(maxActiveOperations + 1).active('c')).to.throw(CommandRejection, /archive them in parts/)
  })
})
