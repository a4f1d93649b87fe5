import type { CompanySettings } from '../../../schema/records/company.ts'
import type { LiveValue } from '../../live/latest-values.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** Whose plant is asked, and when. */
export interface QueryScope {
  /** `ref` of the company. */
  readonly companyRef: CompanyRef
  readonly companyId: string
  readonly settings: CompanySettings
  /** UTC ms. */
  readonly nowMs: number
  /** Latest values that may not be in the store yet. */
  readonly recentValues: readonly LiveValue[]
  /** When the status of each machine that has one began: its ref, and UTC ms. */
  readonly statusStarts: () => readonly (readonly [machine: MachineRef, sinceMs: number])[]
}
