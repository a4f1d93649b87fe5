import { assert } from 'chai'
import { parseAlarm, parseProduction } from '../../../api/reports/request/parse.ts'
import type { ErrorBody } from '../../../schema/requests/errors.ts'
import { shaped, startApi, type TestAnswer, type TestApi } from '../../support/api.ts'

const machine = '/machines/8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f10'
const zeros = (count: number) => Array.from({ length: count }, () => 0)
/** Values of no valid type. */
const objects = (count: number) => Array.from({ length: count }, () => ({}))
const range = { start: '2026-03-02T00:00:00Z', end: '2026-03-03T00:00:00Z' }

describe('HTTP: the number of listed field errors', () => {
  let api: TestApi
  before(async () => {
    api = await startApi({
      production: async (_companyId, body) => {
        parseProduction(body)
        throw new Error('the body has no fault')
      },
      alarm: async (_companyId, body) => {
        parseAlarm(body)
        throw new Error('the body has no fault')
      },
    })
  })
  after(() => api.close())

  /** The number of listed errors, and that of the others. */
  const told = (answer: TestAnswer) => {
    assert.equal(answer.status, 400)
    assert.isAtMost(JSON.stringify(answer.body).length, 65_536)
    const { errors, more } = shaped<ErrorBody>(answer)
    return [errors.length, more]
  }

  it('Up to twenty field errors are all listed', async () => {
    assert.deepEqual(told(await api.call('PUT', machine, { name: 'A', machineGroupIds: objects(19) })), [19, undefined])
    assert.deepEqual(told(await api.call('PUT', machine, { name: 'A', machineGroupIds: objects(20) })), [20, undefined])
  })

  it('Beyond twenty field errors, twenty are listed and the others are counted', async () => {
    assert.deepEqual(told(await api.call('PUT', machine, { name: 'A', machineGroupIds: objects(21) })), [20, 1])
    assert.deepEqual(told(await api.call('PUT', machine, { name: 'A', machineGroupIds: objects(500) })), [20, 480])
    assert.deepEqual(told(await api.call('POST', '/reports/production', { ...range, data: zeros(500) })), [20, 480])
    const schedule = { name: 'A', versions: [{ shifts: zeros(150) }] }
    assert.deepEqual(told(await api.call('PUT', '/schedules/a', schedule)), [20, 130])
  })

  it('An array that is too long is one field error, regardless of its invalid items', async () => {
    assert.deepEqual(told(await api.call('PUT', machine, { name: 'A', machineGroupIds: zeros(90_000) })), [
      1,
      undefined,
    ])
    assert.deepEqual(told(await api.call('POST', '/reports/production', { ...range, data: zeros(90_000) })), [
      1,
      undefined,
    ])
    const state = zeros(90_000).map(String)
    const alarms = { ...range, data: [{ metric: 'durationMs' }], filter: { state } }
    assert.deepEqual(told(await api.call('POST', '/reports/alarm', alarms)), [1, undefined])
  })

  it('An array of two million zeros is one field error', async () => {
    const raw = `[${'0,'.repeat(2_000_000)}0]`
    const bodies = [
      ['PUT', machine, `{"name":"A","machineGroupIds":${raw}}`],
      ['POST', '/reports/production', `{"data":${raw}}`],
      ['PUT', '/schedules/a', `{"name":"A","exceptions":${raw}}`],
    ] as const
    for (const [method, path, body] of bodies) {
      const headers = { 'content-type': 'application/json' }
      assert.deepEqual(told(await api.call(method, path, undefined, { raw: body, headers })), [1, undefined])
    }
  })

  it('A response with field errors has at most 64 kB', async () => {
    const long = '\u0001'.repeat(20_000)
    const filter = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}${long.slice(0, 150)}`, ['x']]))
    const body = { ...range, data: [{ metric: 'oee' }], filter }
    const [count = 0, more = 0] = told(await api.call('POST', '/reports/production', body))
    assert.equal(count + more, 100)
    const shift = (index: number) => ({ name: 'A', days: [1], start: `${index}${long}`, end: long })
    const shifts = Array.from({ length: 10 }, (_, index) => shift(index))
    const schedule = await api.call('PUT', '/schedules/a', { name: 'A', versions: [{ shifts }] })
    const [shown = 0, others = 0] = told(schedule)
    assert.equal(shown + others, 20)
  })

  it('Overlaps of 5,000 shifts are found within the time limit', async () => {
    const shifts = Array.from({ length: 200 }, (_, index) => ({
      name: `${index}`,
      days: [1, 2, 3, 4, 5, 6, 7],
      start: '06:00',
      end: '05:59',
    }))
    const versions = Array.from({ length: 25 }, (_, index) => ({
      effectiveFrom: `2${String(index).padStart(3, '0')}-01-01`,
      shifts,
    }))
    const answer = await api.call('PUT', '/schedules/a', { name: 'A', versions })
    const [count] = told(answer)
    assert.equal(count, 20)
  })
})
