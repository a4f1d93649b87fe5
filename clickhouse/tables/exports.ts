import { table } from './table.ts'

export const exportRows = table('export_rows', {
  company: 'UInt32',
  export: 'UInt32',
  row: 'UInt32',
  cells: 'Array(Nullable(String))',
  made_at: "DateTime('UTC')",
})

export const exportSums = table('export_sums', {
  company: 'UInt32',
  export: 'UInt64',
  keys: 'Array(UInt32)',
  operators: 'Array(UInt32)',
  sums: 'Array(Float64)',
  made_at: "DateTime('UTC')",
})

export const exportNames = table('export_names', {
  company: 'UInt32',
  export: 'UInt64',
  level: 'UInt8',
  place: 'UInt32',
  keys: 'Array(String)',
  cells: 'Array(String)',
  made_at: "DateTime('UTC')",
})
