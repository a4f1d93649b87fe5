import type { QuerySettings } from '../../../clickhouse/client/store.ts'
import { type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { exportNames } from '../../../clickhouse/tables/exports.ts'
import type { ColumnName } from '../../../clickhouse/tables/table.ts'
import { metrics as definitions } from '../../../schema/metrics.ts'
import type { FileFormat } from '../../../schema/requests/report.ts'
import { rowGroups, typedNumber, typedText, wellFormed } from '../../files/parquet.ts'
import { groupColumns, kindOfUnit, type FileTarget, type StoredTable, metricColumns } from '../../files/table.ts'
import { type RowForm, rowForms } from '../../files/text-rows.ts'
import type { QueryContext, KeyName, KeyValue } from '../query/query.ts'
import type { GroupingLevel, GroupMember } from '../groupings/grouping-levels.ts'
import { keyNames } from '../plan/plan.ts'
import type { ProductionPlan } from '../plan/production.ts'
import type { ProductionRequest } from '../request/parse.ts'
import type { ExportSnapshot } from './export-snapshot.ts'
import { type TableColumn, type TableLevel, tableQuery } from './table-query.ts'

type TableRequest = Pick<ProductionRequest, 'groupBy' | 'metrics'>

/** A report's rows as a file that the store writes. */
export function storedTable(
  { request, plan }: { readonly request: TableRequest; readonly plan: ProductionPlan },
  snapshot: ExportSnapshot,
  groupingLevels: readonly GroupingLevel[],
  { store, options }: QueryContext,
): StoredTable {
  const { groupBy, metrics } = request
  const levels = tableLevels(groupingLevels, keyNames(plan), snapshot.keyValues)
  return {
    columns: [...groupBy.flatMap(groupColumns), ...metricColumns(metrics)],
    async write({ path, format, signal }: FileTarget) {
      const how = formats[format]
      // Without `signal`: rows of a cancelled insert that arrive later would remain.
      await store.insert(exportNames.name, nameColumns, nameLines(snapshot, levels, how.cellsOf))
      signal?.throwIfAborted()
      const query = tableQuery({ snapshot, levels, sums: plan.sums, metrics }, how.columns(request))
      // The maximum number of rows is reached, or exceeded by overlapping groups.
      const settings = { ...options.settings, max_result_rows: 0, ...how.settings }
      await store.writeFile(query, how.name, path, { ...options, settings })
    },
  }
}

const nameColumns: readonly ColumnName<typeof exportNames>[] = ['company', 'export', 'level', 'place', 'keys', 'cells']

type Cells = readonly (string | null)[]

function nameLines(snapshot: ExportSnapshot, levels: readonly TableLevel[], cellsOf: TableFormat['cellsOf']): string {
  return levels
    .flatMap(({ members }, level) =>
      members.map(({ cells, keys }, place) =>
        JSON.stringify([snapshot.companyRef, snapshot.id, level, place, keys, cellsOf(cells).map(wellFormed)]),
      ),
    )
    .join('\n')
}

/** The cells of a format. */
interface TableFormat {
  readonly name: 'CustomSeparated' | 'CustomSeparatedWithNames' | 'Parquet'
  readonly settings: QuerySettings
  /** Turns the cells of a level's member into its `cells` in `export_names`. */
  readonly cellsOf: (cells: Cells) => readonly string[]
  readonly columns: (request: TableRequest) => readonly TableColumn[]
}

/** The names of a level are one string in the format of the file, so the store quotes nothing. */
function textFormat({ hasHeader, start, end, none, textOf }: RowForm): TableFormat {
  return {
    name: hasHeader ? 'CustomSeparatedWithNames' : 'CustomSeparated',
    settings: {
      format_custom_escaping_rule: 'Raw',
      format_custom_field_delimiter: ',',
      format_custom_row_before_delimiter: start,
      format_custom_row_after_delimiter: end,
      format_tsv_null_representation: none,
    },
    cellsOf: cells => [cells.map(cell => (cell === null ? none : textOf(cell))).join(',')],
    columns: ({ groupBy, metrics }) => [
      ...groupBy.map((group, level): TableColumn => {
        const names = groupColumns(group).map(({ name }) => name)
        return { from: 'level', level, cell: 0, names, as: same }
      }),
      ...metrics.map((metric): TableColumn => ({ from: 'metric', metric, names: [metric], as: same })),
    ],
  }
}

const formats: Readonly<Record<FileFormat, TableFormat>> = {
  csv: textFormat(rowForms.csv),
  xlsx: textFormat(rowForms.xlsx),
  parquet: {
    name: 'Parquet',
    settings: rowGroups,
    // Arrays of names contain no nulls: a text begins with `=`, so that an empty text differs from null.
    cellsOf: cells => cells.map(cell => (cell === null ? '' : `=${cell}`)),
    columns: ({ groupBy, metrics }) => [
      ...groupBy.flatMap((group, level) =>
        groupColumns(group).map(({ name, kind }, cell): TableColumn => {
          const as = (text: Sql) => typedText[kind](sql`if(empty(${text}), NULL, substring(${text}, 2))`)
          return { from: 'level', level, cell, names: [name], as }
        }),
      ),
      ...metrics.map((metric): TableColumn => {
        const as = typedNumber(kindOfUnit[definitions[metric].unit])
        return { from: 'metric', metric, names: [metric], as }
      }),
    ],
  },
}

function same(value: Sql): Sql {
  return value
}

/** The levels of rows with these values of each key. */
function tableLevels(
  dimensions: readonly GroupingLevel[],
  keys: readonly KeyName[],
  keyValues: readonly (readonly KeyValue[])[],
): readonly TableLevel[] {
  return dimensions.map(dimension => {
    const index = keys.findIndex(name => name === dimension.key)
    const key = keys[index]
    if (key === undefined) throw new Error(`invariant: no rows are grouped by ${dimension.key}`)
    return { key, ...membersOf(dimension, keyValues[index] ?? []) }
  })
}

function membersOf(dimension: GroupingLevel, values: readonly KeyValue[]): Omit<TableLevel, 'key'> {
  const keysOf = new Map<GroupMember, string[]>()
  let isOneToOne = true
  for (const value of values) {
    const members = dimension.of(value)
    isOneToOne &&= members.length === 1
    for (const member of members) {
      const keys = keysOf.get(member)
      if (keys) keys.push(String(value))
      else keysOf.set(member, [String(value)])
    }
  }
  dimension.arrange()
  const inOrder = [...keysOf].sort(([a], [b]) => a.position - b.position)
  return {
    members: inOrder.map(([{ cells }, keys]) => ({ cells, keys })),
    // All groupings by time together identify a cell.
    isOneToOne: isOneToOne && (dimension.key === 'cell' || inOrder.every(([, keys]) => keys.length === 1)),
  }
}
