import type { CompanySettings } from '../../../schema/records/company.ts'
import type { LiveValue } from '../../live/values/latest-values.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** The company whose data a query reads, and the time of the query. */
export interface QueryScope {
  /** `ref` of the company. */
  readonly companyRef: CompanyRef
  readonly companyId: string
  readonly settings: CompanySettings
  readonly nowMs: number
  /** Latest values that may not be stored yet. */
  readonly recentValues: readonly LiveValue[]
  /** Start of the current status by machine, UTC ms. */
  readonly statusStarts: () => readonly (readonly [machine: MachineRef, sinceMs: number])[]
}
