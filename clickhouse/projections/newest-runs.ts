import type { CompanyRef } from '../../schema/refs.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { jobRuns } from '../tables/records.ts'

/**
 * Returns the FROM clause of the newest rows of job runs that match conditions. Finds refs first, without FINAL: with it,
 * the store reads every row between the first and the last run of a granule that matches, and a change of a job operation
 * or a machine writes granules with runs of many years.
 */
export function fromNewestRuns(companyRef: CompanyRef, where: readonly Sql[]): Sql {
  const matching = sql`run IN (SELECT run ${from(jobRuns, companyRef, { where })})`
  return from(jobRuns, companyRef, { final: true, where: [matching, ...where] })
}
