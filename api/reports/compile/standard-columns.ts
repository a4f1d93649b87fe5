import { array, float64, ident, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { isThreshold, type JobStandard } from '../plan/job-standards.ts'

/** Pure: a job standard of a piece, by its machine and by what its run has (`run_<column>`: see `job-run-lookup.ts`). */
export function standardColumn(standard: JobStandard): Sql {
  return sql`${valueOf(standard)} AS ${ident(standard.name)}`
}

function valueOf(standard: JobStandard): Sql {
  const { name, runColumn, ofAll } = standard
  if (runColumn === null) return ofMachine(standard)
  const own = ident(`run_${runColumn}`)
  if (isThreshold(name)) return sql`if(isNaN(${own}), ${ofMachine(standard)}, ${own})`
  // 0 is what the lookup gives for none.
  return ofAll === 0 ? own : sql`if(${own} = 0, ${ofMachine(standard)}, ${own})`
}

function ofMachine({ ofMachines, ofAll }: JobStandard): Sql {
  const value = sql`toFloat64(${float64(ofAll)})`
  if (ofMachines.size === 0) return value
  const [refs, values] = [array(uint32, [...ofMachines.keys()]), array(float64, [...ofMachines.values()])]
  return sql`transform(machine, ${refs}, ${values}, ${value})`
}
