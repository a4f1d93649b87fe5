import { table } from './table.ts'

/** A sample without its company, in the order of `sampleLine`. */
const sample = {
  machine: 'UInt32',
  at_us: 'Int64',
  key: 'LowCardinality(String)',
  type: 'LowCardinality(String)',
  subtype: 'LowCardinality(String)',
  category: 'LowCardinality(String)',
  value: 'String',
  native_code: 'LowCardinality(String)',
  native_severity: 'LowCardinality(String)',
  qualifier: 'LowCardinality(String)',
  message: 'String',
  instance_id: 'Nullable(Int64)',
  sequence: 'Nullable(Int64)',
} as const

const numbered = {
  company: 'UInt32',
  machine: 'UInt32',
  instance_id: 'Int64',
  sequence: 'Int64',
  key: 'LowCardinality(String)',
  at_us: 'Int64',
} as const

export const samples = table('samples', { company: 'UInt32', ...sample })
export const decidingSamples = table('deciding_samples', { company: 'UInt32', ...sample })
export const sampleNumbers = table('numbered_samples', numbered)
export const supersededSamples = table('superseded_copies', numbered)

export const latestValues = table('latest_values', {
  company: 'UInt32',
  machine: 'UInt32',
  key: 'LowCardinality(String)',
  type: 'LowCardinality(String)',
  subtype: 'LowCardinality(String)',
  at_us: 'Int64',
  value: 'String',
  category: 'LowCardinality(String)',
})

export const seenMinutes = table('seen_minutes', {
  company: 'UInt32',
  machine: 'UInt32',
  minute: "DateTime('UTC')",
  first_ms: 'SimpleAggregateFunction(min, UInt16)',
  last_ms: 'SimpleAggregateFunction(max, UInt16)',
})

export const machineFirstSeen = table('machine_first_seen', {
  company: 'UInt32',
  machine: 'UInt32',
  first_ms: 'SimpleAggregateFunction(min, Int64)',
})
