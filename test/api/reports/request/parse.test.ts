import { metrics } from '../../../../schema/metrics.ts'
import { expect } from 'chai'
import { parseInstantMs } from '../../../../shared/time/instant.ts'
import { parseDay, parseAlarm, parseByReason, parseProduction } from '../../../../api/reports/request/parse.ts'
import { ApiError } from '../../../../schema/errors.ts'

const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }
const data = [{ metric: 'oee' }]

describe('parseProduction', () => {
  it('A complete production request is accepted, and its unknown fields are ignored', () => {
    const request = parseProduction({
      ...range,
      data: [{ metric: 'oee' }, { metric: 'allTime' }, { metric: 'oee' }],
      groupBy: [{ group: 'machine' }, { group: 'day' }],
      filter: { machine: ['a', 'a'], shift: [], operator: null },
      flatten: true,
      exclude: {},
    })
    expect(request).to.deep.equal({
      report: 'production',
      range: { form: 'instants', startMs: Date.parse(range.start), endMs: Date.parse(range.end) },
      metrics: ['oee', 'allTime'],
      groupBy: ['machine', 'day'],
      filters: { machine: ['a'] },
      file: null,
      flatten: true,
    })
  })

  it('Metrics and groups of a report request can be given as names', () => {
    const request = parseProduction({ ...range, data: ['oee', { metric: 'allTime' }], groupBy: ['machine'] })
    expect([request.metrics, request.groupBy]).to.deep.equal([['oee', 'allTime'], ['machine']])
    expect(parseAlarm({ ...range, data: ['recordCount'], groupBy: ['state'] })).to.deep.include({
      metrics: ['recordCount'],
      groupBy: ['state'],
    })
    expect(faultsOf({ ...range, data: ['abc'], groupBy: ['def'] })).to.deep.equal([
      {
        field: 'data',
        code: 'InvalidDataItem',
        message: `Metric 'abc' is not valid; valid are ${Object.keys(metrics).join(', ')}`,
      },
      {
        field: 'groupBy',
        code: 'InvalidGroup',
        message:
          "Group 'def' is not valid; valid are machine, machineGroup, jobOperation, jobOperationRun, operator, hour, shift, day, week, month, quarter",
      },
    ])
  })

  it('A report request with format parquet or xlsx requests a file, unless csv is false', () => {
    const fileOf = (body: object) => parseProduction({ ...range, data, ...body }).file
    expect(fileOf({ format: 'parquet' })).to.equal('parquet')
    expect(fileOf({ format: 'parquet', csv: null })).to.equal('parquet')
    expect(fileOf({ format: 'parquet', csv: true })).to.equal('parquet')
    expect(fileOf({ format: 'parquet', csv: false })).to.equal(null)
    expect(fileOf({ format: 'xlsx' })).to.equal('xlsx')
    expect(fileOf({ format: 'xlsx', csv: true })).to.equal('xlsx')
    expect(fileOf({ format: 'xlsx', csv: false })).to.equal(null)
    expect(fileOf({ format: 'csv' })).to.equal(null)
    expect(fileOf({ format: 'csv', csv: true })).to.equal('csv')
    expect(fileOf({ csv: true })).to.equal('csv')
  })

  it('The range of a report request can be given in shop days', () => {
    const request = parseProduction({ data, startDay: '2026-03-02', endDay: '2026-03-02T00:00:00.000Z', start: null })
    expect(request.range).to.deep.equal({ form: 'days', startDay: '2026-03-02', endDay: '2026-03-02' })
  })

  it('An invalid metric in a report request is named in the error', () => {
    expect(faultsOf({ ...range, data: [{ metric: 'abc' }] })).to.deep.equal([
      {
        field: 'data',
        code: 'InvalidDataItem',
        message: `Metric 'abc' is not valid; valid are ${Object.keys(metrics).join(', ')}`,
      },
    ])
  })

  it('All errors of a production request are listed', () => {
    const faults = faultsOf({
      start: 'yesterday',
      end: 5,
      data: [{ metric: 'abc' }, 5, { metric: 'toString' }],
      groupBy: [{ group: 'reason' }, { group: 'day' }, { group: 'day' }],
      filter: { reason: ['1'], machine: 'a', shift: [{}] },
      csv: 'yes',
      flatten: 1,
    })
    expect(faults.map(({ field, code }) => `${field} ${code}`)).to.deep.equal([
      'data InvalidDataItem',
      'data InvalidDataItem',
      'data InvalidDataItem',
      'start InvalidDate',
      'end InvalidType',
      'groupBy InvalidGroup',
      'groupBy InvalidGroup',
      'filter InvalidFilter',
      'filter.machine InvalidType',
      'filter.shift InvalidType',
      'csv InvalidType',
      'flatten InvalidType',
    ])
  })

  const bad: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['no body', null, ['body InvalidType', 'data Required', 'start Required', 'end Required']],
    ['no metrics', { ...range, data: [] }, ['data Required']],
    ['data that is not an array', { ...range, data: 'oee' }, ['data InvalidType']],
    ['a start without an end', { data, start: range.start }, ['end Required']],
    ['endDay without startDay', { data, endDay: '2026-03-02' }, ['startDay Required']],
    ['both forms of the range', { data, ...range, startDay: '2026-03-02' }, ['start MutuallyExclusive']],
    ['start at end', { data, start: range.start, end: range.start }, ['start InvalidRange']],
    ['days in the wrong order', { data, startDay: '2026-03-03', endDay: '2026-03-02' }, ['startDay InvalidRange']],
    ['a day that does not exist', { data, startDay: '2026-02-29', endDay: '2026-03-02' }, ['startDay InvalidDate']],
    ['a start before 1970', { data, start: '1969-12-31T00:00:00Z', end: range.end }, ['start OutOfRange']],
    ['a filter that is not an object', { data, ...range, filter: ['a'] }, ['filter InvalidType']],
  ]
  for (const [name, body, expected] of bad) {
    it(`A production request with this error is rejected: ${name}`, () => {
      expect(faultsOf(body).map(({ field, code }) => `${field} ${code}`)).to.deep.equal(expected)
    })
  }
})

describe('parseByReason', () => {
  it('A downtime or quality request has either form of the range, and needs no data', () => {
    expect(parseByReason('downtime', range)).to.deep.equal({
      report: 'downtime',
      range: { form: 'instants', startMs: Date.parse(range.start), endMs: Date.parse(range.end) },
      groupBy: [],
      filters: {},
      file: null,
      flatten: false,
    })
    const days = { startDay: '2026-03-02', endDay: '2026-03-03' }
    const groupBy = [{ group: 'reason' }, { group: 'week' }]
    const filter = { reason: [3, 'setup'], shift: [] }
    const request = parseByReason('quality', { ...days, groupBy, filter, data: 'ignored', exclude: {} })
    expect(request.range).to.deep.equal({ form: 'days', ...days })
    expect(request.groupBy).to.deep.equal(['reason', 'week'])
    expect(request.filters).to.deep.equal({ reason: ['3', 'setup'] })
  })

  it('Groups and filters of other reports are rejected in a downtime request, with all errors', () => {
    const groupBy = ['hour', 'operator', 'state'].map(group => ({ group }))
    const body = { start: range.start, groupBy, filter: { operator: [], nativeCode: ['1'] }, flatten: 0 }
    expect(codesOf(() => parseByReason('downtime', body))).to.deep.equal([
      'end Required',
      'groupBy InvalidGroup',
      'groupBy InvalidGroup',
      'groupBy InvalidGroup',
      'filter InvalidFilter',
      'filter InvalidFilter',
      'flatten InvalidType',
    ])
  })
})

describe('parseAlarm', () => {
  const alarmData = [{ metric: 'recordCount' }, { metric: 'durationMs' }, { metric: 'recordCount' }]

  it('An alarm request has metrics, filters and reject conditions', () => {
    const filter = { state: ['FAULT'], nativeCodeId: [7] }
    const reject = { machineGroup: ['g'], nativeCode: ['', 'A'] }
    const groupBy = [{ group: 'nativeCode' }, { group: 'hour' }]
    expect(parseAlarm({ ...range, data: alarmData, groupBy, filter, reject })).to.deep.include({
      metrics: ['recordCount', 'durationMs'],
      groupBy: ['nativeCode', 'hour'],
      filters: { state: ['FAULT'], nativeCodeId: ['7'] },
      rejects: reject,
    })
  })

  it('Unknown names in an alarm request are rejected with all errors', () => {
    const body = {
      ...range,
      data: [{ metric: 'oee' }],
      groupBy: [{ group: 'reason' }],
      filter: { state: ['fault', 'WARNING'] },
      reject: { shift: ['x'], state: ['OFF'], machine: 'm' },
    }
    expect(messagesOf(() => parseAlarm(body))).to.deep.equal([
      "Metric 'oee' is not valid; valid are durationMs, minStartTime, maxEndTime, recordCount, machineCount",
      "Group 'reason' is not valid; valid are machine, machineGroup, nativeCode, state, hour, day, week",
      "State 'fault' is not valid; did you mean FAULT? Valid are WARNING, FAULT",
      "Reject 'shift' is not valid; valid are machine, machineGroup, state, nativeCode, nativeCodeId",
      "State 'OFF' is not valid; valid are WARNING, FAULT",
      'Reject.machine must be an array',
    ])
    expect(codesOf(() => parseAlarm({ ...range, reject: [] }))).to.deep.equal(['data Required', 'reject InvalidType'])
  })
})

describe('parseInstantMs', () => {
  const same = Date.parse('2026-03-02T12:30:00.000Z')
  for (const text of [
    '2026-03-02T12:30:00.000Z',
    '2026-03-02T12:30:00Z',
    '2026-03-02T12:30Z',
    '2026-03-02T12:30:00',
    '2026-03-02T14:30:00+02:00',
    '2026-03-02T14:30:00.000+0200',
    '2026-03-02T07:30:00-05',
    '2026-03-02t12:30:00.0009z',
  ]) {
    it(`${text} is read as an instant`, () => expect(parseInstantMs(text)).to.equal(same))
  }
  for (const text of [
    '',
    '2026-03-02',
    '2026-02-30T00:00:00Z',
    '2026-03-02T25:00:00Z',
    '2026-03-02T12:60:00Z',
    'now',
  ]) {
    it(`'${text}' is rejected as an instant`, () => expect(parseInstantMs(text)).to.equal(null))
  }
})

describe('parseDay', () => {
  it('A date, also as midnight in the form of shopDate, is read as a day', () => {
    expect(parseDay('2026-03-02')).to.equal('2026-03-02')
    expect(parseDay('2026-03-02T00:00:00.000Z')).to.equal('2026-03-02')
  })
  it('An invalid date is rejected as a day', () => {
    for (const text of ['2026-3-2', '2026-02-30', '2026-03-02T01:00:00Z']) expect(parseDay(text)).to.equal(null)
  })
})

function faultsOf(body: unknown) {
  return refusalOf(() => parseProduction(body))
}

function codesOf(parse: () => unknown) {
  return refusalOf(parse).map(({ field, code }) => `${field} ${code}`)
}

function messagesOf(parse: () => unknown) {
  return refusalOf(parse).map(({ message }) => message)
}

function refusalOf(parse: () => unknown) {
  try {
    parse()
  } catch (error) {
    if (error instanceof ApiError) return error.errors
    throw error
  }
  throw new Error('nothing was refused')
}
