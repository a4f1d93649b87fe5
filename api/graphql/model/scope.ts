import type { CompanySettings } from '../../../schema/records.ts'

/** Whose plant is asked, and when. */
export interface Scope {
  /** `ref` of the company. */
  readonly company: number
  readonly companyId: string
  readonly settings: CompanySettings
  /** UTC ms. */
  readonly nowMs: number
  /** When the status of each machine that has one began: its ref, and UTC ms. */
  readonly statusStarts: () => readonly (readonly [machine: number, sinceMs: number])[]
}
