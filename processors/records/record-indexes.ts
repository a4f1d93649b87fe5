import type { CompanyRecord } from '../../schema/records/company.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import { CredentialIndex } from './credential-index.ts'
import { MachineHistories } from './machine-histories.ts'
import { MachineIndex } from './machine-index.ts'
import { replaceIn } from './replace-in.ts'

/** The indexes of the records in memory. */
export class RecordIndexes {
  readonly companyByRef = new Map<number, CompanyRecord>()
  readonly machines = new MachineIndex()
  readonly credentials = new CredentialIndex()
  readonly histories = new MachineHistories()

  /** Updates the index of a record's kind, if it has one. */
  replace(change: Change): void {
    const { kind, before, after } = change
    if (kind === 'company') replaceIn(this.companyByRef, before?.ref, after?.ref, after)
    else if (kind === 'machine') this.machines.replace(before, after)
    else if (kind === 'key' || kind === 'user' || kind === 'session') this.credentials.replace(change)
    else if (kind === 'jobRun') this.histories.jobRun.replace(before, after)
    else if (kind === 'operatorRun') this.histories.operatorRun.replace(before, after)
    else if (kind === 'annotation') this.histories.annotation.replace(before, after)
    else if (kind === 'partAdjustment') this.histories.partAdjustment.replace(before, after)
  }
}
