import { arrayColumns, table } from './table.ts'

/** Dimensions by which reports group and filter; every element of a document has them. */
const dimensions = {
  shift: 'UInt32',
  run: 'UInt32',
  operators: 'Array(UInt32)',
  mode: 'UInt8',
  scheduled: 'UInt8',
  non_optional: 'UInt8',
} as const

/** Additive measures of the documents of hours and days. */
const measures = {
  first: 'UInt32',
  last: 'UInt32',
  duration_ms: 'UInt32',
  in_cycle_ms: 'UInt32',
  spindle_ms: 'UInt32',
  cut_ms: 'UInt32',
  parts: 'Float64',
  adjusted: 'Float64',
  scrap: 'Float64',
  nonconform: 'Float64',
} as const

/** Names of the dimensions in the order of the columns. */
export const dimensionNames = ['shift', 'run', 'operators', 'mode', 'scheduled', 'non_optional'] as const

/** Names of the additive measures in the order of the columns. */
export const measureNames = [
  ...(['duration_ms', 'in_cycle_ms', 'spindle_ms', 'cut_ms'] as const),
  ...(['parts', 'adjusted', 'scrap', 'nonconform'] as const),
] as const satisfies readonly (keyof typeof measures)[]

/** The lists of a document: elements of their items by name. Offsets are ms from the start of the hour. */
export const documentLists = {
  facts: { cell: 'UInt32', ...dimensions, ...measures },
  downtime: {
    cell: 'UInt32',
    ...dimensions,
    start: 'UInt32',
    end: 'UInt32',
    reason: 'Int32',
    record_start_ms: 'Int64',
  },
  alarm: {
    key: 'LowCardinality(String)',
    code: 'LowCardinality(String)',
    message: 'String',
    level: 'UInt8',
    start_ms: 'Int64',
    end_ms: 'Int64',
  },
  setup: { at: 'UInt32', ...dimensions },
  segment: {
    cell: 'UInt32',
    start: 'UInt32',
    end: 'UInt32',
    status: 'UInt8',
    in_cycle: 'UInt8',
    spindle: 'UInt8',
    cut: 'UInt8',
    down: 'UInt8',
    reason: 'Int32',
    ...dimensions,
  },
  part: { cell: 'UInt32', at: 'UInt32', count: 'Float64', ...dimensions },
  adjustment: {
    cell: 'UInt32',
    at: 'UInt32',
    count: 'Float64',
    scrap: 'Float64',
    nonconform: 'Float64',
    type: 'Int32',
    ...dimensions,
  },
} as const

/** The lists of a day document: elements of their items by name. Offsets are ms from the start of the day. */
export const dayLists = {
  facts: { ...dimensions, ...measures },
  downtime: {
    ...dimensions,
    reason: 'Int32',
    duration_ms: 'UInt32',
    records: 'UInt32',
    carried: 'UInt8',
    within: 'UInt32',
    lengths_ms: 'Array(UInt32)',
  },
  spanning: { record_start_ms: 'Int64', shift: 'UInt32', run: 'UInt32', reason: 'Int32', end: 'UInt32' },
  setup: { at: 'UInt32', ...dimensions },
} as const

const key = { company: 'UInt32', machine: 'UInt32', slot: "DateTime('UTC')", version: 'UInt64' } as const
const hashes = { hash_in: 'UInt64', hash_out: 'UInt64' } as const

const facts = arrayColumns('facts', documentLists.facts)
const downtime = arrayColumns('downtime', documentLists.downtime)
const alarm = arrayColumns('alarm', documentLists.alarm)
const setup = arrayColumns('setup', documentLists.setup)
const segment = arrayColumns('segment', documentLists.segment)
const part = arrayColumns('part', documentLists.part)
const adjustment = arrayColumns('adjustment', documentLists.adjustment)

/** Documents of hours. */
export const hours = table('hours', {
  ...key,
  ...facts,
  ...downtime,
  ...alarm,
  ...setup,
  ...hashes,
  ...segment,
  state_out: 'String',
  ...part,
  ...adjustment,
})

/** Equal hours of one machine before 2025, stored as one row: see `stored-hours.ts`. */
export const repeatedHours = table('repeated_hours', {
  company: 'UInt32',
  machine: 'UInt32',
  from_slot: "DateTime('UTC')",
  until_slot: "DateTime('UTC')",
  slots: "Array(DateTime('UTC'))",
  version: 'UInt64',
  ...facts,
  ...downtime,
  ...hashes,
  ...segment,
  state_out: 'String',
})

export const days = table('days', {
  company: 'UInt32',
  machine: 'UInt32',
  shop_date: 'Date32',
  start_ms: 'Int64',
  end_ms: 'Int64',
  version: 'UInt64',
  ...arrayColumns('facts', dayLists.facts),
  ...arrayColumns('downtime', dayLists.downtime),
  ...arrayColumns('spanning', dayLists.spanning),
  ...arrayColumns('setup', dayLists.setup),
})

export const dayCoverage = table('day_coverage', {
  company: 'UInt32',
  start_ms: 'Int64',
  end_ms: 'Int64',
  partition: 'UInt32',
  partitions: 'UInt32',
  covered: 'UInt8',
  first_ms: 'Int64',
  epoch: 'UInt64',
  version: 'UInt64',
})

export const staleDays = table('stale_days', {
  company: 'UInt32',
  start_ms: 'Int64',
  end_ms: 'Int64',
  machine: 'UInt32',
  stale: 'UInt8',
  version: 'UInt64',
})

export const processProgress = table('process_progress', {
  partition: 'UInt32',
  records_offset: 'Int64',
  version: 'UInt64',
})
