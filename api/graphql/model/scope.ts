import type { CompanySettings } from '../../../schema/records/company.ts'
import type { LiveValue } from '../../live/values/latest-values.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** The company whose data a query reads, and the instant at which the query runs. */
export interface QueryScope {
  /** `ref` of the company. */
  readonly companyRef: CompanyRef
  readonly companyId: string
  readonly settings: CompanySettings
  readonly nowMs: number
  /** Latest values that may not be stored yet. */
  readonly recentValues: readonly LiveValue[]
  /** Returns the start of the current status of each machine, UTC ms. */
  readonly statusStarts: () => readonly (readonly [machine: MachineRef, sinceMs: number])[]
}
