import type { ImportedJob } from '../../schema/commands/commands.ts'
import { type Fault, fault, type FaultCode } from '../../schema/errors.ts'
import type { WorkCenter } from '../../schema/records/job-operation.ts'
import { CellFault, type CellValue, readCell, shortened } from './cell.ts'
import { type FieldName, fields } from './fields.ts'
import type { Layout } from './heading.ts'
import type { FileRow } from './rows/file-row.ts'
import type { FindWorkCenter } from './work-centers.ts'

/** Most faults that are listed: more help nobody. */
const mostFaults = 1000
const mostCenters = 1000

/** A row's fields that the file has; null where the cell is empty. */
type Values = Partial<Record<FieldName, CellValue>>
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Job fields that the fields of a work center stand for in a row without a work center. */
const jobFieldOf: Readonly<Partial<Record<FieldName, FieldName>>> = {
  expectedparttime: 'default_expectedparttime',
  idealparttime: 'default_idealparttime',
  setuptime: 'default_setuptime',
  partcountmultiplier: 'default_partcountmultiplier',
  actualparts: 'default_actualparts',
}

/** A job as the rows have told of it so far. */
interface Gathered {
  /** Row and names of the job; the other parts are gathered apart. */
  readonly job: Mutable<Omit<ImportedJob, 'workCenters'>>
  /** Values of the job's own fields, each with the row that told it first. */
  readonly told: Map<FieldName, { readonly value: CellValue; readonly row: number }>
  /** Work centers by machine or machine group. */
  readonly centers: Map<string, { readonly center: WorkCenter; readonly row: number }>
}

/**
 * Gathers the jobs that a file's rows tell of. Rows with the same four names are of the same job: a field has the same
 * value in all of them, or is empty in some. Each work center has one row of the job, or several that are equal. Every
 * fault is noted, and the other rows are read all the same.
 */
export class Jobs {
  readonly #layout: Layout
  readonly #find: FindWorkCenter
  readonly #gathered = new Map<string, Gathered>()
  readonly #faults: Fault[] = []
  #faultCount = 0

  constructor(layout: Layout, find: FindWorkCenter) {
    this.#layout = layout
    this.#find = find
  }

  /** The first thousand faults, and how many more there are. */
  get faults(): { readonly listed: readonly Fault[]; readonly more: number } {
    return { listed: this.#faults, more: this.#faultCount - this.#faults.length }
  }

  add({ row, cells }: FileRow): void {
    if (cells.every(cell => cell.trim() === '')) return
    const values = this.#read(row, cells)
    const { name } = values
    if (name === null || name === undefined) {
      if (name === null) this.#fault(row, 'name', 'Required', 'name is required')
      return
    }
    const gathered = this.#jobOf(row, String(name), values)
    const isOfJob = typeof values.workcenter !== 'string'
    for (const [field, value] of entriesOf(values)) {
      const told = isOfJob && value !== null ? (jobFieldOf[field] ?? field) : field
      if (fields[told].of === 'job') this.#tell(gathered, row, told, value)
    }
    if (typeof values.workcenter === 'string') this.#addCenter(gathered, row, values.workcenter, values)
  }

  /** Whether no row told of a job. */
  get isEmpty(): boolean {
    return this.#gathered.size === 0
  }

  /** The jobs, where no row has a fault. */
  *jobs(): Generator<ImportedJob, void> {
    const hasCenters = this.#layout.has('workcenter')
    for (const { job, told, centers } of this.#gathered.values()) {
      const workCenters = [...centers.values()].map(({ center }) => center)
      yield { ...job, ...jobFields(told), ...(hasCenters && { workCenters }) }
    }
  }

  #read(row: number, cells: readonly string[]): Values {
    const values: Values = {}
    for (const [field, { column, places }] of this.#layout) {
      try {
        const read = places.map(place => readCell(cells[place] ?? '', fields[field].kind, column))
        const told = [...new Set(read.filter(value => value !== null))]
        if (told.length > 1)
          throw new CellFault(
            'InvalidDataItem',
            `has two values: ${told.map(value => shortened(String(value))).join(' and ')}`,
          )
        values[field] = told[0] ?? null
      } catch (error) {
        if (!(error instanceof CellFault)) throw error
        this.#fault(row, field, error.code, `${field} ${error.message}`)
      }
    }
    return values
  }

  #jobOf(row: number, jobName: string, values: Values): Gathered {
    const [lotName, operationName, partName] = [values.lot, values.operation, values.part].map(name =>
      String(name ?? ''),
    )
    const names = { jobName, lotName: lotName ?? '', operationName: operationName ?? '', partName: partName ?? '' }
    const key = JSON.stringify(Object.values(names))
    const known = this.#gathered.get(key)
    if (known) return known
    const gathered: Gathered = { job: { row, ...names }, told: new Map(), centers: new Map() }
    this.#gathered.set(key, gathered)
    return gathered
  }

  #tell({ told }: Gathered, row: number, field: FieldName, value: CellValue): void {
    const before = told.get(field)
    if (!before || before.value === null) told.set(field, { value, row })
    else if (value !== null && value !== before.value)
      this.#fault(
        row,
        field,
        'InvalidDataItem',
        `${field} is ${shortened(String(value))}, in row ${before.row} of the same job ${shortened(String(before.value))}`,
      )
  }

  #addCenter({ centers }: Gathered, row: number, name: string, values: Values): void {
    const found = this.#find(name)
    if (typeof found === 'string') return this.#fault(row, 'workcenter', 'InvalidDataItem', found)
    const center: WorkCenter = {
      ...found,
      expectedSetupTime: numberOf(values.setuptime),
      idealPartTime: numberOf(values.idealparttime),
      expectedPartTime: numberOf(values.expectedparttime),
      partCountMultiplier: multiplier(values.partcountmultiplier, values.actualparts),
    }
    const key = `${found.machineId} ${found.machineGroupId}`
    const before = centers.get(key)
    if (!before) centers.set(key, { center, row })
    else if (JSON.stringify(before.center) !== JSON.stringify(center))
      this.#fault(
        row,
        'workcenter',
        'InvalidDataItem',
        `Row ${before.row} tells otherwise of the same job and work center`,
      )
    if (centers.size > mostCenters)
      this.#fault(row, 'workcenter', 'OutOfRange', `The job has more than ${mostCenters} work centers`)
  }

  #fault(row: number, field: FieldName, code: FaultCode, message: string): void {
    this.#faultCount++
    if (this.#faults.length < mostFaults) this.#faults.push(fault(`row ${row}.${field}`, code, message))
  }
}

/** The fields of a job for which the file has columns. */
function jobFields(told: Gathered['told']): Partial<ImportedJob> {
  const job: Partial<Mutable<ImportedJob>> = {}
  const valueOf = (field: FieldName) => told.get(field)?.value
  if (told.has('description')) job.description = textOf(valueOf('description'))
  if (told.has('due_date')) job.dueAt = textOf(valueOf('due_date'))
  if (told.has('quantity')) job.quantityRequired = numberOf(valueOf('quantity'))
  if (told.has('partvalue')) job.partValue = numberOf(valueOf('partvalue'))
  if (told.has('default_expectedparttime')) job.expectedPartTime = numberOf(valueOf('default_expectedparttime'))
  if (told.has('default_idealparttime')) job.idealPartTime = numberOf(valueOf('default_idealparttime'))
  if (told.has('default_setuptime')) job.expectedSetupTime = numberOf(valueOf('default_setuptime'))
  if (told.has('default_partcountmultiplier') || told.has('default_actualparts'))
    job.partCountMultiplier = multiplier(valueOf('default_partcountmultiplier'), valueOf('default_actualparts'))
  const goals = {
    ...(told.has('warningpercent') && { partsGoalWarning: numberOf(valueOf('warningpercent')) }),
    ...(told.has('failurepercent') && { partsGoalFailure: numberOf(valueOf('failurepercent')) }),
  }
  return Object.keys(goals).length > 0 ? { ...job, thresholds: goals } : job
}

/** Parts made for each part counted: `actual` divided by `counted`, or the one of them that is told; null: neither is. */
function multiplier(counted: CellValue | undefined, actual: CellValue | undefined): number | null {
  const [perCount, parts] = [numberOf(counted), numberOf(actual)]
  if (parts === null || parts === 0) return perCount
  return perCount === null || perCount === 0 ? parts : parts / perCount
}

function numberOf(value: CellValue | undefined): number | null {
  return typeof value === 'number' ? value : null
}

function textOf(value: CellValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function entriesOf(values: Values): readonly [FieldName, CellValue][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the type
  return Object.entries(values) as [FieldName, CellValue][]
}
