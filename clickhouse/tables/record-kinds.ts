import { table } from './table.ts'

/** Columns of every table of records by machine and time. */
const moment = {
  company: 'LowCardinality(String)',
  machine_id: 'LowCardinality(String)',
  start_ms: 'Int64',
} as const
const version = { deleted: 'UInt8', command_offset: 'UInt64' } as const

export const annotationsByMachine = table('annotations', {
  ...moment,
  id: 'String',
  end_ms: 'Nullable(Int64)',
  reason: 'Int32',
  note: 'String',
  ends_with_stop: 'UInt8',
  ...version,
})

export const operatorRunsByMachine = table('operator_runs', {
  ...moment,
  id: 'String',
  end_ms: 'Nullable(Int64)',
  operator_id: 'String',
  ...version,
})

export const partAdjustmentsByMachine = table('part_adjustments', {
  ...moment,
  id: 'String',
  category: 'Nullable(Int64)',
  parts: 'Int32',
  scrap: 'Int32',
  reject_behavior: 'LowCardinality(String)',
  message: 'String',
  ...version,
})

export const machineRuns = table('machine_runs', {
  ...moment,
  start_sequence: 'UInt32',
  id: 'String',
  run: 'UInt32',
  end_ms: 'Nullable(Int64)',
  production_ms: 'Nullable(Int64)',
  in_setup: 'UInt8',
  operation_id: 'String',
  ...version,
})

export const deliveries = table('deliveries', {
  company: 'LowCardinality(String)',
  created_ms: 'Int64',
  id: 'String',
  target_id: 'String',
  incident_ids: 'Array(String)',
  state: 'LowCardinality(String)',
  json: 'String',
  command_offset: 'UInt64',
})
