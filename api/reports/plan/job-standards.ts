import type { Thresholds } from '../../../schema/records/thresholds.ts'
import type { CompanyView } from '../company/company-view.ts'
import { type RunColumn, runColumns, type StandardName } from '../sums/standards.ts'

/** Sources of a standard, first that has it: the job run of the element, its machine, the company. */
export interface JobStandard {
  readonly name: StandardName
  /** Column of `job_runs` in which runs may have a value of their own; null: none has. */
  readonly runColumn: RunColumn | null
  /** Values of the machines that have one of their own, by ref. */
  readonly ofMachines: ReadonlyMap<number, number>
  readonly ofAll: number
}

/** Pure: the standards asked for. Runs and machines are named only where any record makes their values differ. */
export function jobStandards(names: readonly StandardName[], view: CompanyView): readonly JobStandard[] {
  return [...new Set(names)].map(name => (isThreshold(name) ? threshold(name, view) : ofRun(name, view)))
}

export function isThreshold(name: StandardName): name is keyof Thresholds {
  return name !== 'multiplier' && !name.endsWith('_ms')
}

/** A time of 0 stands for none. */
function ofRun(name: Exclude<StandardName, keyof Thresholds>, { differs }: CompanyView): JobStandard {
  const isMultiplier = name === 'multiplier'
  const mayDiffer = !isMultiplier || differs.multipliers
  return { name, runColumn: mayDiffer ? name : null, ofMachines: new Map(), ofAll: isMultiplier ? 1 : 0 }
}

function threshold(name: keyof Thresholds, { company, machines, differs }: CompanyView): JobStandard {
  const own = machines.flatMap(({ ref, thresholds: { [name]: value } }) =>
    typeof value === 'number' ? [[ref, value] as const] : [],
  )
  return {
    name,
    runColumn: differs.runThresholds ? runColumns[name] : null,
    ofMachines: new Map(differs.machineThresholds ? own : []),
    ofAll: company.settings.thresholds[name],
  }
}
