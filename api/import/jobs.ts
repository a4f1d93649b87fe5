import type { ImportedJob } from '../../schema/commands/job-commands.ts'
import { type FieldError, fieldError, type FieldErrorCode } from '../../schema/errors.ts'
import type { WorkCenter } from '../../schema/records/job-operation.ts'
import { type CellValue, readCell } from './cell.ts'
import { CellError, shortened } from './cell-values.ts'
import { type FieldName, fields } from './fields.ts'
import { type FieldLayout, type Layout, findRowError } from './heading.ts'
import type { Mapping } from './mappings.ts'
import { type FileRow, isBlank } from './rows/file-row.ts'
import type { FindWorkCenter } from './work-centers.ts'

/** Maximum number of field errors in the response. */
const maxFieldErrors = 1000
const maxCenters = 1000

/** A row's fields that the file has; null if the cell is empty. */
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

/** A job as far as the rows read so far describe it. */
interface Gathered {
  /** Row and names of the job; the other fields are collected separately. */
  readonly job: Mutable<Omit<ImportedJob, 'workCenters'>>
  /** Whether all its rows so far are skipped. */
  isSkipped: boolean
  /** Values of the job's own fields, each with the first row that has it. */
  readonly jobValues: Map<FieldName, { readonly value: CellValue; readonly row: number }>
  /** Work centers by machine or machine group. */
  readonly centers: Map<string, { readonly center: WorkCenter; readonly row: number }>
}

interface JobsOptions {
  readonly layout: Layout
  readonly find: FindWorkCenter
  readonly unknownWorkCenter: Mapping['unknownWorkCenter']
}

/**
 * Collects the jobs of a file's rows. Rows with the same four names are of the same job: a field has the same value in
 * all of them, or is empty in some. Each work center has one row of the job, or several that are equal. Every error is
 * recorded, and the other rows are read nevertheless. A row of an unknown work center may be skipped: its job stays
 * unchanged.
 */
export class Jobs {
  readonly #layout: Layout
  readonly #find: FindWorkCenter
  readonly #skipsUnknown: boolean
  readonly #gathered = new Map<string, Gathered>()
  readonly #errors: FieldError[] = []
  #errorCount = 0
  #skippedRows = 0

  constructor({ layout, find, unknownWorkCenter }: JobsOptions) {
    this.#layout = layout
    this.#find = find
    this.#skipsUnknown = unknownWorkCenter === 'skip'
  }

  /** The first thousand errors, and the number of further ones. */
  get fieldErrors(): { readonly listed: readonly FieldError[]; readonly more: number } {
    return { listed: this.#errors, more: this.#errorCount - this.#errors.length }
  }

  /** Rows that were skipped because no machine or group has the name of their work center. */
  get skippedRows(): number {
    return this.#skippedRows
  }

  add(fileRow: FileRow): void {
    const { row, cells } = fileRow
    if (cells.every(isBlank)) return
    const rowError = findRowError(fileRow, this.#layout)
    if (rowError !== null) return this.#addError(fieldError(`row ${row}`, 'InvalidDataItem', rowError))
    if (this.#skip(fileRow)) return
    const values = this.#read(fileRow)
    const { name } = values
    if (name === null || name === undefined) {
      if (name === null) this.#addFieldError(row, 'name', 'Required', 'name is required')
      return
    }
    const gathered = this.#jobOf(row, String(name), values)
    gathered.isSkipped = false
    const isOfJob = typeof values.workcenter !== 'string'
    for (const [field, value] of entriesOf(values)) {
      const ownField = isOfJob && value !== null ? (jobFieldOf[field] ?? field) : field
      if (fields[ownField].of === 'job') this.#addValue(gathered, row, ownField, value)
    }
    if (typeof values.workcenter === 'string') this.#addCenter(gathered, row, values.workcenter, values)
  }

  /** Whether no row has a job, apart from the skipped ones. */
  get isEmpty(): boolean {
    return [...this.#gathered.values()].every(({ isSkipped }) => isSkipped)
  }

  *jobs(): Generator<ImportedJob, void> {
    const hasCenters = this.#layout.fields.has('workcenter')
    for (const { job, isSkipped, jobValues, centers } of this.#gathered.values()) {
      if (isSkipped) {
        yield { ...job, isSkipped }
        continue
      }
      const workCenters = [...centers.values()].map(({ center }) => center)
      yield { ...job, ...jobFields(jobValues), ...(hasCenters && { workCenters }) }
    }
  }

  /** Skips a row of an unknown work center, if the mapping allows that; its job counts as one of the file. */
  #skip({ row, cells }: FileRow): boolean {
    if (!this.#skipsUnknown) return false
    const values: Values = {}
    for (const field of ['workcenter', 'name', 'lot', 'operation', 'part'] as const) {
      const layout = this.#layout.fields.get(field)
      if (!layout) continue
      try {
        values[field] = valueOf(cells, field, layout)
      } catch (error) {
        if (error instanceof CellError) return false
        throw error
      }
    }
    if (typeof values.workcenter !== 'string' || this.#find(values.workcenter) !== null) return false
    this.#skippedRows++
    if (typeof values.name === 'string') this.#jobOf(row, values.name, values)
    return true
  }

  #read({ row, cells }: FileRow): Values {
    const values: Values = {}
    for (const [field, layout] of this.#layout.fields) {
      try {
        values[field] = valueOf(cells, field, layout)
      } catch (error) {
        if (!(error instanceof CellError)) throw error
        this.#addFieldError(row, field, error.code, `${field} ${error.message}`)
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
    const gathered: Gathered = { job: { row, ...names }, isSkipped: true, jobValues: new Map(), centers: new Map() }
    this.#gathered.set(key, gathered)
    return gathered
  }

  #addValue({ jobValues }: Gathered, row: number, field: FieldName, value: CellValue): void {
    const before = jobValues.get(field)
    if (!before || before.value === null) jobValues.set(field, { value, row })
    else if (value !== null && value !== before.value)
      this.#addFieldError(
        row,
        field,
        'InvalidDataItem',
        `${field} is ${shortened(String(value))}, in row ${before.row} of the same job ${shortened(String(before.value))}`,
      )
  }

  #addCenter({ centers }: Gathered, row: number, name: string, values: Values): void {
    const found = this.#find(name)
    if (found === null || typeof found === 'string') {
      const message =
        found ?? `'${shortened(name)}' is not the name of a machine or a machine group, or an erpMachineId`
      return this.#addFieldError(row, 'workcenter', 'InvalidDataItem', message)
    }
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
      this.#addFieldError(
        row,
        'workcenter',
        'InvalidDataItem',
        `Row ${before.row} has other values for the same job and work center`,
      )
    if (centers.size > maxCenters)
      this.#addFieldError(row, 'workcenter', 'OutOfRange', `The job has more than ${maxCenters} work centers`)
  }

  #addFieldError(row: number, field: FieldName, code: FieldErrorCode, message: string): void {
    this.#addError(fieldError(`row ${row}.${field}`, code, message))
  }

  #addError(found: FieldError): void {
    this.#errorCount++
    if (this.#errors.length < maxFieldErrors) this.#errors.push(found)
  }
}

/** The value of a field in a row. Throws a `CellError`, also if columns of the field have different values. */
function valueOf(cells: FileRow['cells'], field: FieldName, { column, indexes, unitIndex }: FieldLayout): CellValue {
  const unit = unitIndex === undefined ? '' : (cells[unitIndex] ?? '')
  const read = indexes.map(index => readCell(cells[index] ?? '', fields[field].kind, column, unit))
  const values = [...new Set(read.filter(value => value !== null))]
  if (values.length > 1)
    throw new CellError(
      'InvalidDataItem',
      `has two values: ${values.map(value => shortened(String(value))).join(' and ')}`,
    )
  return values[0] ?? null
}

function jobFields(jobValues: Gathered['jobValues']): Partial<ImportedJob> {
  const job: Partial<Mutable<ImportedJob>> = {}
  const valueOf = (field: FieldName) => jobValues.get(field)?.value
  if (jobValues.has('description')) job.description = textOf(valueOf('description'))
  if (jobValues.has('due_date')) job.dueAt = textOf(valueOf('due_date'))
  if (jobValues.has('quantity')) job.quantityRequired = numberOf(valueOf('quantity'))
  if (jobValues.has('partvalue')) job.partValue = numberOf(valueOf('partvalue'))
  if (jobValues.has('default_expectedparttime')) job.expectedPartTime = numberOf(valueOf('default_expectedparttime'))
  if (jobValues.has('default_idealparttime')) job.idealPartTime = numberOf(valueOf('default_idealparttime'))
  if (jobValues.has('default_setuptime')) job.expectedSetupTime = numberOf(valueOf('default_setuptime'))
  if (jobValues.has('default_partcountmultiplier') || jobValues.has('default_actualparts'))
    job.partCountMultiplier = multiplier(valueOf('default_partcountmultiplier'), valueOf('default_actualparts'))
  const goals = {
    ...(jobValues.has('warningpercent') && { partsGoalWarning: numberOf(valueOf('warningpercent')) }),
    ...(jobValues.has('failurepercent') && { partsGoalFailure: numberOf(valueOf('failurepercent')) }),
  }
  return Object.keys(goals).length > 0 ? { ...job, thresholds: goals } : job
}

/** Parts for each counted part: `actual` divided by `counted`, or the only one of them; null: neither. */
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
