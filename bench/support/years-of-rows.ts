import {
  array,
  arrayOf,
  int64,
  join,
  literalInteger,
  type Sql,
  sql,
  str,
  uint32,
  uint64,
} from '../../clickhouse/sql/sql.ts'
import { defaultJobOperation } from '../../schema/records/job-operation.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'

/** Numbers of the records with a time that are written. */
export interface History {
  readonly days: number
  readonly runs: number
  readonly annotations: number
  readonly operatorRuns: number
  readonly operations: number
}

export type HistoryKind = 'jobOperation' | 'jobRun' | 'annotation' | 'operatorRun'

/** Number of operators that sign in, with the ids `operator-0` and so on. */
export const operators = 500

/** A SELECT of rows, and the columns of a table to which they belong. */
export interface Rows {
  readonly columns: Sql
  readonly select: Sql
}

/**
 * SELECTs of the rows of years of records. The store computes them, because serializing each record in this process takes
 * most of the time of a fill. A record is a function of its number, in the order of time.
 */
export class RowsOfYears {
  readonly #history: History
  readonly #machines: readonly MachineRecord[]
  readonly #companyId: Sql
  readonly #commandOffset: number
  readonly #firstMs: number

  constructor(history: History, machines: readonly MachineRecord[], commandOffset: number) {
    this.#history = history
    this.#machines = machines
    this.#companyId = sql`${str(machines[0]?.companyId ?? '')}`
    this.#commandOffset = commandOffset
    this.#firstMs = (Math.floor(Date.now() / dayMs) - history.days) * dayMs
  }

  /** Selects the rows of `records` of those records whose numbers are in [from, to). */
  records(kind: HistoryKind, from: number, to: number): Rows {
    return {
      columns: sql`company, kind, ref, id, json, deleted, command_offset`,
      select: sql`
        SELECT ${this.#companyId} AS company, ${str(kind)} AS kind, toUInt32(${this.#refOf(kind)}) AS ref, ${idOf(kind)} AS id,
          ${jsonOf(this.#fieldsOf(kind))} AS json, 0 AS deleted, ${uint64(this.#commandOffset)} AS command_offset
        FROM (${this.#numbers(kind, from, to)})`,
    }
  }

  /** Selects the rows of `job_runs` of those runs whose numbers are in [from, to). */
  standards(from: number, to: number): Rows {
    const refs = arrayOf(uint32, this.#machines, ({ ref }) => ref)
    return {
      columns: sql`company, run, machine, operation, id, start_ms, end_ms, until_ms, multiplier, expected_setup_ms, version, deleted`,
      select: sql`
        SELECT 1 AS company, number + 1 AS run, ${this.#ofMachine(sql`${refs}`, sql`toUInt32(0)`)} AS machine, ${this.#operation} + 1 AS operation,
          ${idOf('jobRun')} AS id, start_ms, end_ms, end_ms AS until_ms, 1 AS multiplier, 0 AS expected_setup_ms,
          ${uint64(this.#commandOffset)} AS version, 0 AS deleted
        FROM (${this.#numbers('jobRun', from, to)})`,
    }
  }

  /** `at_run`: number of the run at whose time a record is. */
  #numbers(kind: HistoryKind, from: number, to: number): Sql {
    const { days, runs, annotations, operatorRuns } = this.#history
    const counts = { jobOperation: runs, jobRun: runs, annotation: annotations, operatorRun: operatorRuns }
    const every = Math.max(1, Math.round(runs / counts[kind]))
    return sql`
      SELECT number, number * ${uint64(every)} AS at_run,
        ${int64(this.#firstMs)} + toInt64(intDiv(at_run * ${uint64(days * dayMs)}, ${uint64(runs)})) AS start_ms,
        start_ms + ${int64(3 * hourMs)} AS end_ms
      FROM numbers(${literalInteger(from)}, ${literalInteger(to - from)})`
  }

  /** Returns the value of the machine of a record, of an array with a value for each machine; `none`: of its type. */
  #ofMachine(values: Sql, none: Sql): Sql {
    const { length } = this.#machines
    const indexes = array(uint64, [...this.#machines.keys()])
    return sql`transform(at_run % ${uint64(length)}, ${indexes}, ${values}, ${none})`
  }

  get #operation(): Sql {
    return sql`number % ${uint64(this.#history.operations)}`
  }

  #refOf(kind: HistoryKind): Sql {
    return kind === 'jobOperation' || kind === 'jobRun' ? sql`number + 1` : sql`0`
  }

  /** The fields of a record, each as SQL of its JSON. */
  #fieldsOf(kind: HistoryKind): Readonly<Record<string, Sql>> {
    const ref = sql`toString(${this.#refOf(kind)})`
    const id = quoted(idOf(kind))
    const companyId = quoted(this.#companyId)
    if (kind === 'jobOperation') {
      const defaults = Object.entries(defaultJobOperation).map(([name, value]) => [name, jsonText(value)] as const)
      const names = { jobName: sql`concat('"Job ', toString(number), '"')`, operationName: jsonText('10') }
      const partName = sql`concat('"Part ', toString(number % 1000), '"')`
      return { ...Object.fromEntries(defaults), ...names, partName, id, ref, companyId }
    }
    const machineId = quoted(this.#ofMachine(sql`${arrayOf(str, this.#machines, each => each.id)}`, sql`''`))
    const ofAll = { id, companyId, machineId, startAt: instantOf(sql`start_ms`), endAt: instantOf(sql`end_ms`) }
    switch (kind) {
      case 'jobRun': {
        const jobOperationId = quoted(idOf('jobOperation', this.#operation))
        return {
          ...ofAll,
          ref,
          jobOperationId,
          startInSetup: jsonText(false),
          productionAt: jsonText(null),
          startSequence: ref,
        }
      }
      case 'annotation':
        return { ...ofAll, reasonId: sql`if(at_run % 50 = 0, '2', '1')`, note: jsonText('') }
      case 'operatorRun':
        return { ...ofAll, operatorId: sql`concat('"operator-', toString(at_run % ${uint64(operators)}), '"')` }
    }
  }
}

/** Returns the names of the job operation with a number. */
export function namesOfOperation(number: number): Readonly<Record<string, string>> {
  return { jobName: `Job ${number}`, operationName: '10', partName: `Part ${number % 1_000}` }
}

/** Ids are distributed as random ones. */
function idOf(kind: HistoryKind, number: Sql = sql`number`): Sql {
  const id = sql`toString(reinterpretAsUUID(sipHash128(${str(kind)}, toUInt64(${number}))))`
  return kind === 'jobRun' ? sql`concat('RUN-', ${id})` : id
}

function jsonOf(fields: Readonly<Record<string, Sql>>): Sql {
  const members = Object.entries(fields).map(([name, value]) => sql`${str(`"${name}":`)}, ${value}`)
  return sql`concat('{', ${join(members, sql`, ',', `)}, '}')`
}

function jsonText(value: unknown): Sql {
  return sql`${str(JSON.stringify(value))}`
}

function quoted(text: Sql): Sql {
  return sql`concat('"', ${text}, '"')`
}

function instantOf(ms: Sql): Sql {
  return sql`concat('"', replaceOne(toString(fromUnixTimestamp64Milli(${ms}, 'UTC')), ' ', 'T'), 'Z"')`
}
