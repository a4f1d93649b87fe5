import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashKey } from '../../api/auth/key.ts'
import type { AnnotationResponse } from '../../schema/records/annotation.ts'
import type { DowntimeReasonResponse } from '../../schema/records/downtime-reason.ts'
import type { DowntimeRecordResponse } from '../../schema/requests/downtime-records.ts'
import type { RecomputesResponse } from '../../schema/requests/recomputes.ts'
import type { MetricValues, MachineMetrics, MachineTimeline } from '../../schema/requests/machine-timeline.ts'
import { hourMs, minuteMs } from '../../shared/time/units.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { addMachine, post, shapeOf } from '../api/live/plant.ts'
import { caller, startService, type TestService } from '../support/service.ts'

const startMs = Date.parse('2026-03-02T08:00:00.000Z')
const nowMs = startMs + 4 * hourMs
const at = (minutes: number) => new Date(startMs + minutes * minuteMs).toISOString()

/**
 * EXECUTION values by minute: the machine is in cycle, except for stops from 10 to 30, 60 to 70 and 100 to 105 minutes,
 * and from 200 on.
 */
const changes = { 0: 'ACTIVE', 10: 'READY', 30: 'ACTIVE', 60: 'READY', 70: 'ACTIVE', 100: 'READY', 105: 'ACTIVE', 200: 'READY' } // prettier-ignore

/** One service; the tests depend on each other. */
describe('downtime records over HTTP', function () {
  let service: TestService
  let machineId: string
  let jam: number
  let tool: number
  before(async () => {
    service = await startService({ nowMs })
    machineId = await addMachine(service)
    await put({ commissionedAt: at(0) })
    jam = await addReason('Jam', false)
    tool = await addReason('Tool change', true)
    await post(
      service,
      machineId,
      Object.entries(changes).map(([minutes, value]) => execution(Number(minutes), value)),
    )
    const speeds = Array.from({ length: 60 }, (_, minute) => ({
      at: startMs + minute * minuteMs,
      key: 'speed',
      type: 'ROTARY_VELOCITY',
      value: minute === 7 ? 'UNAVAILABLE' : minute * 10,
    }))
    await post(service, machineId, speeds)
    await service.settled()
  })
  after(() => service?.stop())

  const execution = (minutes: number, value: string) => ({
    at: startMs + minutes * minuteMs,
    key: 'execution',
    type: 'EXECUTION',
    value,
  })
  const put = async (fields: object) =>
    assert.equal((await service.call('PUT', `/machines/${machineId}`, { name: 'Lathe', ...fields })).status, 200)
  const addReason = async (name: string, planned: boolean) =>
    shapeOf<DowntimeReasonResponse>((await service.call('POST', '/downtime-reasons', { name, planned })).body).id
  const range = `start=${at(0)}&end=${at(240)}`

  async function records(query = ''): Promise<readonly DowntimeRecordResponse[]> {
    const { status, body } = await service.call('GET', `/downtime-records?${range}${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return shapeOf<readonly DowntimeRecordResponse[]>(body)
  }
  /** Returns the stops as `begin–end reason`, in minutes. */
  async function stops(): Promise<readonly string[]> {
    await service.settled()
    const minute = (instant: string) => (Date.parse(instant) - startMs) / minuteMs
    return (await records()).map(
      ({ startAt, endAt, reason, note }) =>
        `${minute(startAt)}–${endAt === null ? '' : minute(endAt)} ${reason}${note === null || note === '' ? '' : ` (${note})`}`,
    )
  }
  async function change(what: string, body: object): Promise<readonly AnnotationResponse[]> {
    const answer = await service.call('POST', `/downtime-records/${what}`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return shapeOf<readonly AnnotationResponse[]>(answer.body)
  }
  const faultsOf = ({ body }: { readonly body: unknown }) => {
    const { errors } = shapeOf<{ readonly errors: readonly { readonly field: string; readonly code: string }[] }>(body)
    return errors.map(({ field, code }) => `${field} ${code}`)
  }
  const id = (minutes: number) => `${machineId}_${startMs + minutes * minuteMs}`
  /** Returns the minutes of downtime by reason, and the planned and uncategorized minutes of the production report. */
  async function reported() {
    await service.settled()
    const body = { start: at(0), end: at(240), flatten: true }
    const byReason = await service.call('POST', '/reports/downtime', { ...body, groupBy: [{ group: 'reason' }] })
    const { items } = shapeOf<{ readonly items: readonly { readonly reason: string; readonly downtimeMs: number }[] }>(byReason.body) // prettier-ignore
    const data = ['plannedDowntime', 'uncategorizedDowntime']
    const { body: production } = await service.call('POST', '/reports/production', { ...body, data })
    const { aggregate } = shapeOf<{ readonly aggregate: Readonly<Record<string, number>> }>(production)
    return [
      Object.fromEntries(items.map(({ reason, downtimeMs }) => [reason, downtimeMs / minuteMs])),
      (aggregate['plannedDowntime'] ?? 0) / minuteMs,
      (aggregate['uncategorizedDowntime'] ?? 0) / minuteMs,
    ]
  }

  it('Downtime records are listed with the time that the report counts', async () => {
    assert.deepEqual(await stops(), ['10–30 Uncategorized', '60–70 Uncategorized', '100–105 Uncategorized', '200– Uncategorized']) // prettier-ignore
    assert.deepEqual(await reported(), [{ Uncategorized: 75 }, 0, 75])
    const [last] = await records('&orderBy=duration&direction=DESC&limit=1')
    assert.deepInclude(last, { id: id(200), endAt: null, durationMs: 40 * minuteMs, inRangeMs: 40 * minuteMs })
    const [cut] = await records(`&start=${at(20)}&end=${at(25)}`)
    assert.deepInclude(cut, { id: id(10), endAt: at(30), durationMs: 20 * minuteMs, inRangeMs: 5 * minuteMs })
  })

  it('Shop days select the records and microstops that their instants select', async () => {
    await put({ commissionedAt: at(0), microstopMs: 8 * minuteMs })
    const day = 'startDay=2026-03-02&endDay=2026-03-02'
    const get = (what: string) => service.call('GET', `/downtime-records${what}`)
    const short = { machineId, microstopMs: 8 * minuteMs, recordCount: 1, inRangeMs: 5 * minuteMs }
    assert.deepEqual((await get(`/microstops?${day}&reason=uncategorized`)).body, [short])
    for (const path of [
      '?microstops=exclude&orderBy=duration&direction=DESC&limit=2',
      '?microstops=only',
      '/microstops?',
    ]) {
      const { body } = await get(`${path}&${day}`)
      assert.isNotEmpty(body)
      assert.deepEqual(body, (await get(`${path}&start=2026-03-02T00:00:00Z&end=2026-03-03T00:00:00Z`)).body)
      assert.deepEqual((await get(`${path}&startDay=2026-03-01&endDay=2026-03-01`)).body, [])
    }
    assert.deepEqual((await get(`/microstops?${day}&reason=${jam}`)).body, [])
    assert.deepEqual((await get(`/microstops?start=${at(103)}&end=${at(104)}`)).body, [
      { ...short, inRangeMs: minuteMs },
    ])
    for (const path of ['?', '/microstops?']) {
      assert.deepEqual(faultsOf(await get(`${path}startDay=2026-03-02`)), ['endDay Required'])
      assert.deepEqual(faultsOf(await get(`${path}${day}&start=${at(0)}`)), ['start MutuallyExclusive'])
      assert.deepEqual(faultsOf(await get(`${path}startDay=2026-03-03&endDay=2026-03-02`)), ['startDay InvalidRange'])
    }
    await put({ commissionedAt: at(0) })
  })

  it('The next page of shop days continues in their instants', async () => {
    const first = await fetch(`${service.url}/downtime-records?startDay=2026-03-02&endDay=2026-03-02&limit=3`, {
      headers: { authorization: 'Bearer a-key-for-tests-of-32-characters-or-more' },
    })
    const next = new URL(/^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '')
    const { start, end, ...others } = Object.fromEntries(next.searchParams)
    assert.deepEqual({ start, end }, { start: '2026-03-02T00:00:00.000Z', end: at(240) })
    assert.hasAllKeys(others, ['limit', 'orderBy', 'direction', 'after'])
    const { body } = await service.call('GET', `/downtime-records${next.search}`)
    assert.deepEqual(
      shapeOf<readonly DowntimeRecordResponse[]>(body).map(record => record.id),
      [id(200)],
    )
  })

  it('Pages of downtime records are linked by the Link header', async () => {
    const key = 'a-key-for-tests-of-32-characters-or-more'
    const ids: string[] = []
    let next: string | null =
      `${service.url}/downtime-records?${range}&limit=3&machineId=${machineId}&reason=uncategorized`
    while (next !== null) {
      const response: Response = await fetch(next, { headers: { authorization: `Bearer ${key}` } })
      ids.push(...shapeOf<readonly DowntimeRecordResponse[]>(await response.json()).map(record => record.id))
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? null
    }
    assert.deepEqual(ids, [10, 60, 100, 200].map(id))
  })

  it('A next link repeats the parameters of the first page, and its cursor is rejected in another order', async () => {
    const response = await fetch(
      `${service.url}/downtime-records?limit=1&start=${at(0)}&end=${at(9999)}&orderBy=duration`,
      {
        headers: { authorization: 'Bearer a-key-for-tests-of-32-characters-or-more' },
      },
    )
    const next = new URL(/^<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1] ?? '')
    const { start, end, orderBy, direction, after } = Object.fromEntries(next.searchParams)
    assert.deepEqual(
      { start, end, orderBy, direction },
      { start: at(0), end: at(240), orderBy: 'duration', direction: 'ASC' },
    )
    const other = await service.call('GET', `/downtime-records?after=${after}&orderBy=duration&direction=DESC`)
    assert.equal(other.status, 400)
    const long = `/downtime-records?start=2020-01-01T00:00:00Z&end=2026-01-01T00:00:00Z`
    assert.equal((await service.call('GET', long)).status, 400)
  })

  it('Several records are categorized at once, and the reports change accordingly', async () => {
    const made = await change('categorize', { records: [id(10), id(60)], reasonId: jam, note: 'chips' })
    assert.deepEqual(
      made.map(({ startAt, endAt, note }) => [startAt, endAt, note]),
      [
        [at(10), at(30), 'chips'],
        [at(60), at(70), 'chips'],
      ],
    )
    assert.deepEqual(await stops(), ['10–30 Jam (chips)', '60–70 Jam (chips)', '100–105 Uncategorized', '200– Uncategorized']) // prettier-ignore
    assert.deepEqual(await reported(), [{ Jam: 30, Uncategorized: 45 }, 0, 45])
    const again = await change('categorize', { records: [id(60)], reasonId: tool, note: 'insert' })
    assert.equal(again[0]?.id, made[1]?.id, 'the annotation of an unchanged interval keeps its id')
    assert.deepEqual(await reported(), [{ Jam: 20, 'Tool change': 10, Uncategorized: 45 }, 10, 45])
    await change('categorize', { records: [id(60)], reasonId: null })
    assert.deepEqual(await reported(), [{ Jam: 20, Uncategorized: 55 }, 0, 55])
  })

  it('An ongoing stop is categorized without an end', async () => {
    const [made] = await change('categorize', { records: [id(200)], reasonId: tool })
    assert.deepInclude(made, { startAt: at(200), endAt: null, endsWithStop: true })
    assert.deepEqual(await reported(), [{ Jam: 20, 'Tool change': 40, Uncategorized: 15 }, 40, 15])
  })

  it('A downtime record is split at an instant, and split records are merged', async () => {
    await change('split', { record: id(10), at: at(16), after: { reasonId: tool, note: 'late' } })
    assert.deepEqual((await stops()).slice(0, 3), ['10–16 Jam (chips)', '16–30 Tool change (late)', '60–70 Uncategorized']) // prettier-ignore
    await change('split', { record: id(16), at: at(20), before: { reasonId: null } })
    assert.deepEqual((await stops()).slice(0, 3), ['10–16 Jam (chips)', '16–20 Uncategorized', '20–30 Tool change (late)']) // prettier-ignore
    assert.deepEqual(await reported(), [{ Jam: 6, 'Tool change': 50, Uncategorized: 19 }, 50, 19])
    await change('merge', { records: [id(20), id(10), id(16)] })
    assert.deepEqual((await stops()).slice(0, 2), ['10–30 Jam (chips)', '60–70 Uncategorized'])
    await change('merge', { records: [id(60), id(100)], reasonId: tool, note: 'both' })
    assert.deepEqual((await stops()).slice(0, 3), ['10–30 Jam (chips)', '60–70 Tool change (both)', '100–105 Tool change (both)']) // prettier-ignore
  })

  it('Reasons are kept through late data and a rebuild', async () => {
    await post(service, machineId, [execution(14, 'ACTIVE'), execution(18, 'READY')])
    const expected = ['10–14 Jam (chips)', '18–30 Jam (chips)', '60–70 Tool change (both)', '100–105 Tool change (both)', '200– Tool change'] // prettier-ignore
    assert.deepEqual((await stops()).slice(0, 5), expected)
    const before = await reported()
    assert.deepEqual(before, [{ Jam: 16, 'Tool change': 55 }, 55, 0])
    await service.call('POST', '/recomputes')
    const isOver = async () => {
      const { rebuilds } = shapeOf<RecomputesResponse>((await service.call('GET', '/recomputes')).body)
      return rebuilds.every(({ finishedAt }) => finishedAt !== null)
    }
    while (!(await isOver())) await sleep(50)
    assert.deepEqual(await stops(), expected)
    assert.deepEqual(await reported(), before)
  })

  it('Of two concurrent changes of a record one is rejected, and a repeated request gets its first response', async () => {
    const before = await stops()
    const both = await Promise.all(
      [jam, null].map(reasonId =>
        service.call('POST', '/downtime-records/categorize', { records: [id(100)], reasonId }),
      ),
    )
    assert.sameMembers(
      both.map(({ status }) => status),
      [200, 409],
    )
    const body = JSON.stringify({ records: [id(100)], reasonId: tool, note: 'both' })
    const headers = {
      authorization: 'Bearer a-key-for-tests-of-32-characters-or-more',
      'content-type': 'application/json',
      'idempotency-key': 'once',
    }
    await service.settled()
    const send = () => fetch(`${service.url}/downtime-records/categorize`, { method: 'POST', headers, body })
    const answers = [await send(), await send()]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.equal(await answers[0]?.text(), await answers[1]?.text())
    assert.deepEqual(await stops(), before)
  })

  it('An open annotation is changed through its downtime record', async () => {
    const open = { machineId, reasonId: jam, startAt: at(200), endAt: null }
    assert.equal((await service.call('POST', '/annotations', open)).status, 200)
    await service.settled()
    const [made] = await change('categorize', { records: [id(200)], reasonId: tool, note: '' })
    assert.deepInclude(made, { reasonId: tool, startAt: at(200), endAt: null })
    await service.settled()
    assert.deepEqual(await change('categorize', { records: [id(200)], reasonId: null }), [])
    assert.deepEqual((await stops()).slice(-1), ['200– Uncategorized'])
    await change('categorize', { records: [id(200)], reasonId: tool })
    await service.settled()
  })

  it('Invalid requests list every field error and change nothing', async () => {
    const faults = async (what: string, body: object) => {
      return faultsOf(await service.call('POST', `/downtime-records/${what}`, body))
    }
    const before = await stops()
    assert.deepEqual(await faults('categorize', { records: [], reasonId: 'x' }), ['records InvalidDataItem', 'reasonId InvalidType']) // prettier-ignore
    assert.deepEqual(await faults('categorize', { records: [id(60), id(100)], reasonId: 999 }), ['reasonId InvalidDataItem']) // prettier-ignore
    assert.deepEqual(await faults('split', { record: id(60), at: at(70), after: { reasonId: jam } }), ['at InvalidRange']) // prettier-ignore
    assert.deepEqual(await faults('split', { record: id(60), at: at(65), after: { reasonId: tool } }), ['after InvalidDataItem']) // prettier-ignore
    assert.deepEqual(await faults('merge', { records: [id(60), id(60)] }), ['records InvalidDataItem'])
    const gone = await service.call('POST', '/downtime-records/categorize', {
      records: [id(60), id(61)],
      reasonId: jam,
    })
    assert.equal(gone.status, 409)
    assert.deepEqual(await stops(), before)
  })

  it('Records of another company are neither visible nor changeable', async () => {
    const key = 'the admin key of quite another company'
    resultOrThrow(
      await service.commands.submit(
        'company.create',
        { companyName: 'Other', adminKeyHash: hashKey(key) },
        { companyId: null },
      ),
    )
    const other = caller(service.url, key)
    assert.deepEqual((await other('GET', `/downtime-records?${range}&machineId=${machineId}`)).body, [])
    const change = await other('POST', '/downtime-records/categorize', { records: [id(60)], reasonId: null })
    assert.equal(change.status, 404)
    for (const path of [`timeline?${range}`, 'metrics', `metric-values?key=speed&${range}`])
      assert.equal((await other('GET', `/machines/${machineId}/${path}`)).status, 404, path)
  })

  it('The timeline of a machine contains its states, downtime and metric values', async () => {
    const { body } = await service.call('GET', `/machines/${machineId}/timeline?start=${at(0)}&end=${at(300)}`)
    const timeline = shapeOf<MachineTimeline>(body)
    assert.deepEqual(timeline.range, { start: at(0), end: at(240) })
    assert.deepEqual(
      timeline.states.slice(0, 3).map(({ id: status, startAt, endAt }) => [status, startAt, endAt]),
      [
        ['ACTIVE', at(0), at(10)],
        ['INACTIVE', at(10), at(14)],
        ['ACTIVE', at(14), at(18)],
      ],
    )
    assert.deepEqual(timeline.downtime[0], {
      id: String(jam),
      startAt: at(10),
      endAt: at(14),
      durationMs: 4 * minuteMs,
    })
    assert.equal(timeline.entities.reason[String(jam)]?.name, 'Jam')
    const { metrics } = shapeOf<MachineMetrics>((await service.call('GET', `/machines/${machineId}/metrics`)).body)
    assert.deepEqual(
      metrics.map(({ key, value }) => [key, value]),
      [
        ['execution', 'READY'],
        ['speed', '590'],
      ],
    )
    const values = async (query: string) =>
      shapeOf<MetricValues>((await service.call('GET', `/machines/${machineId}/metric-values?key=speed&${query}`)).body)
    const whole = await values(`start=${at(0)}&end=${at(60)}&points=100`)
    assert.lengthOf(whole.values, 59)
    const steps = await values(`start=${at(0)}&end=${at(60)}&points=12`)
    assert.equal(steps.resolutionMs, 5 * minuteMs)
    assert.deepEqual(steps.values[1], { at: at(5), mean: 70, least: 50, greatest: 90, samples: 4 })
    assert.lengthOf(steps.values, 12)
  })

  it('Metrics of one key are distinguished by type and subtype, and values without a mean are skipped', async () => {
    const load = (minute: number, subtype: string, value: number) => ({
      at: startMs + minute * minuteMs,
      key: 'load',
      type: 'LOAD',
      subtype,
      value,
    })
    await post(service, machineId, [
      ...[0, 1].map(minute => load(minute, 'COMMANDED', 100)),
      ...[2, 3].map(minute => load(minute, 'ACTUAL', minute === 2 ? 1e308 : 10)),
      load(4, 'ACTUAL', 30),
    ])
    await service.settled()
    const means = async (query: string) => {
      const path = `/machines/${machineId}/metric-values?key=load&start=${at(0)}&end=${at(240)}&points=10${query}`
      const { subtype, values } = shapeOf<MetricValues>((await service.call('GET', path)).body)
      return [subtype, ...values.map(({ mean }) => mean)]
    }
    assert.deepEqual(await means(''), ['ACTUAL', 20])
    assert.deepEqual(await means('&type=LOAD&subtype=COMMANDED'), ['COMMANDED', 100])
    assert.deepEqual(await means('&subtype=COMMANDED'), ['COMMANDED', 100])
  })

  it('An unknown machine has no downtime records', async () => {
    assert.deepEqual(await records(`&machineId=${randomUUID()}`), [])
  })

  it('The reason of an ongoing stop applies until the stop ends', async () => {
    const key = { machineId, reasonId: jam, startAt: at(300), endAt: at(310), note: 'planned for later' }
    const later = await service.call('POST', '/annotations', key)
    await service.settled()
    await change('categorize', { records: [id(200)], reasonId: null })
    await service.settled()
    const [made] = await change('categorize', { records: [id(200)], reasonId: tool })
    assert.deepInclude(made, { startAt: at(200), endAt: at(300), endsWithStop: true })
    const { id: annotationId } = shapeOf<AnnotationResponse>(later.body)
    assert.equal((await service.call('DELETE', `/annotations/${annotationId}`)).status, 200)
    await service.settled()
    await change('categorize', { records: [id(200)], reasonId: jam })
    service.setClock(startMs + 290 * minuteMs)
    await post(service, machineId, [execution(260, 'ACTIVE'), execution(280, 'READY')])
    await service.settled()
    const of = async () =>
      shapeOf<readonly AnnotationResponse[]>((await service.call('GET', `/annotations?start=${at(199)}`)).body)
    while ((await of()).some(({ endsWithStop }) => endsWithStop)) await sleep(100)
    const [ended, ...others] = await of()
    assert.deepEqual(others, [])
    assert.deepInclude(ended, { reasonId: jam, startAt: at(200), endAt: at(260) })
    await service.settled()
    const { body } = await service.call('GET', `/downtime-records?start=${at(190)}&end=${at(290)}`)
    assert.deepEqual(
      shapeOf<readonly DowntimeRecordResponse[]>(body).map(({ reason, endAt }) => [reason, endAt]),
      [
        ['Jam', at(260)],
        ['Uncategorized', null],
      ],
    )
  })
})
