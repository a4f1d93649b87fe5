import { table } from './table.ts'

const record = {
  company: 'LowCardinality(String)',
  kind: 'LowCardinality(String)',
  id: 'String',
  ref: 'UInt32',
  json: 'String',
  deleted: 'UInt8',
  command_offset: 'UInt64',
} as const

export const records = table('records', record)

/** Tables that store no rows: views copy the inserted rows to tables in another order. */
export const credentialsIn = table('credentials_in', record)
export const annotationsIn = table('annotations_in', record)
export const operatorRunsIn = table('operator_runs_in', record)
export const partAdjustmentsIn = table('part_adjustments_in', record)
export const machineRunsIn = table('machine_runs_in', record)
export const jobOperationsIn = table('job_operations_in', record)
export const incidentsIn = table('incidents_in', record)
export const deliveriesIn = table('deliveries_in', record)

export const credentials = table('credentials', {
  lookup: 'String',
  json: 'String',
  deleted: 'UInt8',
  command_offset: 'UInt64',
})

export const userEmails = table('user_emails', { email: 'String', id: 'String' })

export const incidents = table('incidents', {
  company: 'LowCardinality(String)',
  detected_ms: 'Int64',
  id: 'String',
  started_ms: 'Int64',
  ended_ms: 'Nullable(Int64)',
  settled_ms: 'Nullable(Int64)',
  state: 'LowCardinality(String)',
  kind: 'LowCardinality(String)',
  severity: 'LowCardinality(String)',
  rule_id: 'String',
  subject_id: 'String',
  deleted: 'UInt8',
  command_offset: 'UInt64',
})

const jobNames = { job_name: 'String', lot_name: 'String', operation_name: 'String', part_name: 'String' } as const

export const jobOperations = table('job_operations', {
  company: 'LowCardinality(String)',
  ref: 'UInt32',
  id: 'String',
  ...jobNames,
  archived: 'UInt8',
  has_multiplier: 'UInt8',
  has_thresholds: 'UInt8',
  group_ids: 'Array(String)',
  json: 'String',
  deleted: 'UInt8',
  command_offset: 'UInt64',
})

export const jobOperationNames = table('job_operation_names', {
  company: 'LowCardinality(String)',
  ...jobNames,
  ref: 'UInt32',
})

export const keyUses = table('key_uses', { id: 'String', used_at: "DateTime64(3, 'UTC')" })

export const audit = table('audit', {
  company: 'LowCardinality(String)',
  command_offset: 'UInt64',
  change: 'UInt32',
  at: "DateTime64(3, 'UTC')",
  actor: 'String',
  actor_kind: 'LowCardinality(String)',
  actor_name: 'String',
  command: 'LowCardinality(String)',
  kind: 'LowCardinality(String)',
  id: 'String',
  fields: 'Array(LowCardinality(String))',
  before: 'String',
  after: 'String',
})

export const jobRuns = table('job_runs', {
  company: 'UInt32',
  run: 'UInt32',
  machine: 'UInt32',
  operation: 'UInt32',
  id: 'String',
  start_ms: 'Int64',
  end_ms: 'Int64',
  until_ms: 'Int64',
  multiplier: 'Float64',
  ideal_part_ms: 'Nullable(Float64)',
  expected_part_ms: 'Nullable(Float64)',
  expected_setup_ms: 'Float64',
  oee_warning: 'Nullable(Float64)',
  oee_failure: 'Nullable(Float64)',
  parts_goal_warning: 'Nullable(Float64)',
  parts_goal_failure: 'Nullable(Float64)',
  utilization_warning: 'Nullable(Float64)',
  utilization_failure: 'Nullable(Float64)',
  version: 'UInt64',
  deleted: 'UInt8',
})
