import { expect } from 'chai'
import { parseAlarmInstances } from '../../../../api/reports/alarm-instances/plan.ts'
import { ApiError } from '../../../../schema/errors.ts'

const start = '2026-03-02T10:00:00+01:00'

describe('requests for alarm instances', () => {
  it('A request for alarm instances has defaults, and its unknown fields are ignored', () => {
    const request = parseAlarmInstances({ start, startId: null, exclude: {}, filter: { machine: [] } })
    expect(request).to.deep.equal({
      from: { form: 'start', startMs: Date.UTC(2026, 2, 2, 9) },
      direction: 'ASC',
      orderBy: 'start',
      limit: 200,
      filter: {},
      reject: {},
      file: null,
    })
  })

  it('A request for alarm instances can have an id, a limit, a direction and conditions', () => {
    const conditions = { machine: ['m'], machineGroup: ['g'], state: ['FAULT'], nativeCode: ['x'], nativeCodeId: [7] }
    const request = parseAlarmInstances({
      startId: -3,
      orderBy: 'id',
      limit: 1,
      direction: 'DESC',
      filter: conditions,
      reject: conditions,
    })
    const expected = { ...conditions, nativeCodeId: ['7'] }
    expect(request).to.deep.equal({
      from: { form: 'startId', startId: -3 },
      direction: 'DESC',
      orderBy: 'id',
      limit: 1,
      filter: expected,
      reject: expected,
      file: null,
    })
  })

  for (const [body, ...expected] of [
    [null, 'body InvalidType'],
    [[], 'body InvalidType'],
    [{}, 'start Required'],
    [{ start, startId: 1 }, 'start MutuallyExclusive'],
    [{ start: 'yesterday' }, 'start InvalidDate'],
    [{ start: 5 }, 'start InvalidDate'],
    [{ start: '0001-01-01T00:00:00Z' }, 'start InvalidDate'],
    [{ startId: 2 ** 31 }, 'startId OutOfRange'],
    [{ startId: '1' }, 'startId InvalidType'],
    [{ start, limit: 0 }, 'limit OutOfRange'],
    [{ start, limit: 201 }, 'limit OutOfRange'],
    [{ start, limit: 1.5 }, 'limit InvalidType'],
    [{ start, direction: 'UP' }, 'direction InvalidEnum'],
    [{ start, orderBy: 'name' }, 'orderBy InvalidEnum'],
    [{ start, orderBy: 'id' }, 'orderBy MutuallyExclusive'],
    [{ start, filter: { shift: ['x'] }, reject: { 'x; DROP': [] } }, 'filter InvalidFilter', 'reject InvalidFilter'],
    [{ start, filter: [], reject: 1 }, 'filter InvalidType', 'reject InvalidType'],
    [
      { start, filter: { machine: 'x' }, reject: { nativeCode: [{}] } },
      'filter.machine InvalidType',
      'reject.nativeCode InvalidType',
    ],
    [{ start, reject: { state: ['FAULT', 'NORMAL'] } }, 'reject.state InvalidEnum'],
    [
      { limit: 0, direction: 1, filter: 1 },
      'start Required',
      'direction InvalidEnum',
      'limit OutOfRange',
      'filter InvalidType',
    ],
  ] as const)
    it(`A request for alarm instances is rejected with every error: ${JSON.stringify(body)}`, () => {
      expect(faultsOf(body)).to.deep.equal(expected)
    })

  it('An unknown filter or state in a request for alarm instances is named in the error', () => {
    expect(messagesOf({ start, filter: { colour: ['x'] } })).to.deep.equal([
      "Filter 'colour' is not valid; valid are machine, machineGroup, state, nativeCode, nativeCodeId",
    ])
    expect(messagesOf({ start, filter: { state: ['BAD'] } })).to.deep.equal([
      "State 'BAD' is not valid; valid are WARNING, FAULT",
    ])
  })
})

function faultsOf(body: unknown): readonly string[] {
  return refusalOf(body).errors.map(({ field, code }) => `${field} ${code}`)
}

function messagesOf(body: unknown): readonly string[] {
  return refusalOf(body).errors.map(({ message }) => message)
}

function refusalOf(body: unknown): ApiError {
  try {
    parseAlarmInstances(body)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  }
  throw new Error('It was not refused')
}
