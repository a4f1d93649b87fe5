import { expect } from 'chai'
import * as fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { canonicalId } from '../../../processors/records/record-ids.ts'
import type { OperatorRunRecord, OperatorRunResponse } from '../../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord, PartAdjustmentResponse } from '../../../schema/records/part-adjustment.ts'
import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { JobRunRecord } from '../../../schema/records/job-run.ts'
import type { JobRunItem } from '../../../schema/requests/job-runs.ts'
import { withoutCompany } from '../../../api/routes/record-routes.ts'
import { hashKey } from '../../../api/auth/key.ts'
import { forAll } from '../../support/for-all.ts'
import { adminKey, shaped, startApi, type TestApi } from '../../support/api.ts'

const otherKey = 'the key of another company, long enough'
const dayMs = 86_400_000
const instant = (days: number) => new Date(Date.UTC(2024, 0, 1) + Math.round(days * dayMs)).toISOString()

/** Days since the start of 2024: several years, and many equal ones. */
const day = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: -9_000, max: 1_500 }), fc.constant(2_900_000))
const anyRange = fc.record({ start: fc.option(day), end: fc.option(day) })
const anyQuery = fc.record({
  range: anyRange,
  machines: fc.constantFrom(null, [0], [1, 0], [0, 0, 1], ['upper'], ['unknown'], ['foreign']),
  limit: fc.option(fc.integer({ min: 1, max: 4 })),
})

type Query = typeof anyQuery extends fc.Arbitrary<infer T> ? T : never

/** Whether the range ends before it starts, so that the request is rejected. */
function isReversed({ start, end }: Query['range']): boolean {
  return start !== null && end !== null && start >= end
}

/** Order of code units, as the responses had it when records were in memory. */
function byPosition(a: readonly [string, string], b: readonly [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : 1
}

describe('lists of records that are read from the store', () => {
  let api: TestApi
  beforeEach(async () => {
    api = await startApi({ isWithoutHistory: true, clock: () => Date.parse(instant(2)) })
    api.registrar.addCompany('Other', hashKey(otherKey))
  })
  afterEach(() => api.close())

  async function addMachines(key: string): Promise<readonly string[]> {
    const ids = [randomUUID(), randomUUID()]
    for (const id of ids) await api.call('PUT', `/machines/${id}`, { name: id, erpMachineId: id }, { key })
    await api.call('PUT', '/operators/ann', { name: 'Ann' }, { key })
    return ids
  }

  /** Reads all pages of a list. `machines`: indexes, or special ids. */
  async function listed(
    path: string,
    machineParameter: string,
    { range, machines, limit }: Query,
    [own, foreign]: readonly (readonly string[])[],
  ): Promise<unknown[]> {
    const query = new URLSearchParams()
    if (range.start !== null) query.set('start', instant(range.start))
    if (range.end !== null) query.set('end', instant(range.end))
    if (limit !== null) query.set('limit', String(limit))
    for (const id of machineIds(machines, own ?? [], foreign ?? []) ?? []) query.append(machineParameter, id)
    const found: unknown[] = []
    const separator = path.includes('?') ? '&' : '?'
    for (let url: string | undefined = `${path}${separator}${query.toString()}`; url !== undefined;) {
      const { status, body, headers } = await api.call('GET', url)
      expect(status, JSON.stringify(body)).to.equal(200)
      if (!Array.isArray(body)) throw new Error('Expected an array')
      if (limit !== null) expect(body.length).to.be.at.most(limit)
      found.push(...body)
      url = /^<http:\/\/[^/]*(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    return found
  }

  function machineIds(
    machines: readonly (number | string)[] | null,
    own: readonly string[],
    foreign: readonly string[],
  ): readonly string[] | null {
    const special: Readonly<Record<string, string | undefined>> = {
      upper: own[0]?.toUpperCase(),
      unknown: 'unknown',
      foreign: foreign[0],
    }
    return machines && machines.flatMap(each => (typeof each === 'number' ? own[each] : special[each]) ?? [])
  }

  function matches(
    machineId: string,
    machines: readonly (number | string)[] | null,
    own: readonly string[],
    foreign: readonly string[],
  ): boolean {
    return machineIds(machines, own, foreign)?.map(canonicalId).includes(machineId) ?? true
  }

  /** The records that begin in the range, or end after its start, of the machines of a query, in the order of the list. */
  function overlapping<R extends AnnotationRecord | OperatorRunRecord>(
    records: readonly R[],
    { range, machines }: Query,
    endMsOf: (record: R) => number,
    [own = [], foreign = []]: readonly (readonly string[])[],
  ): readonly R[] {
    const start = range.start === null ? null : instant(range.start)
    return records
      .filter(record => {
        const isAfter = start === null || record.startAt >= start || endMsOf(record) > Date.parse(start)
        const isBefore = range.end === null || record.startAt < instant(range.end)
        return isAfter && isBefore && matches(record.machineId, machines, own, foreign)
      })
      .toSorted((a, b) => byPosition([a.startAt, a.id], [b.startAt, b.id]))
  }

  it('GET /part-adjustments contains the moved, changed and remaining adjustments of the range', () =>
    forAll(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(1), day, fc.constantFrom('add', 'add', 'move', 'delete', 'foreign')), {
          maxLength: 15,
        }),
        fc.array(anyQuery, { minLength: 3, maxLength: 3 }),
        async (changes, queries) => {
          const [own, foreign] = [await addMachines(adminKey), await addMachines(otherKey)]
          const { records, company } = api.registrar
          for (const { id } of records.list('partAdjustment', company.id))
            await api.call('DELETE', `/part-adjustment/${id}`)
          for (const [machine, at, change] of changes) {
            const known = records.list('partAdjustment', company.id)
            const id = known[at % Math.max(1, known.length)]?.id
            const fields = { adjustmenttime: instant(at), count: -1, scrapcount: 2, message: `At ${at}` }
            if (change === 'add') await api.call('POST', '/part-adjustment', { machine_id: own[machine], ...fields })
            else if (change === 'foreign')
              await api.call('POST', '/part-adjustment', { machine_id: foreign[machine], ...fields }, { key: otherKey })
            else if (id !== undefined && change === 'move')
              await api.call('PUT', `/part-adjustment/${id.toUpperCase()}`, { machine_id: own[machine], ...fields })
            else if (id !== undefined) await api.call('DELETE', `/part-adjustment/${id}`)
          }
          for (const query of queries) {
            const { range, machines } = query
            if (isReversed(range)) continue
            const expected = records
              .list('partAdjustment', company.id)
              .filter(({ machineId, adjustmentTime }) => {
                const isAfter = range.start === null || adjustmentTime >= instant(range.start)
                const isBefore = range.end === null || adjustmentTime < instant(range.end)
                return isAfter && isBefore && matches(machineId, machines, own, foreign)
              })
              .toSorted((a, b) => byPosition([a.adjustmentTime, a.id], [b.adjustmentTime, b.id]))
            const found = await listed('/part-adjustments', 'machine_id', query, [own, foreign])
            expect(JSON.stringify(found)).to.equal(JSON.stringify(expected.map(adjustmentResponse)))
          }
        },
      ),
      { numRuns: 12 },
    ))

  it('GET /operator-runs contains the sign-ins that overlap the range', () =>
    forAll(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(1), day, fc.option(fc.integer({ min: 0, max: 30 }))), { maxLength: 12 }),
        fc.array(anyQuery, { minLength: 3, maxLength: 3 }),
        async (changes, queries) => {
          const [own, foreign] = [await addMachines(adminKey), await addMachines(otherKey)]
          const { records, company } = api.registrar
          for (const [index, [machine, at, hours]] of changes.entries()) {
            const isForeign = index % 5 === 4
            const key = isForeign ? otherKey : adminKey
            const machineId = (isForeign ? foreign : own)[machine]
            const body = { machineId, operatorId: 'ann', startAt: instant(at) }
            const started = await api.call('POST', '/operator-runs', body, { key })
            const { id } = shaped<OperatorRunResponse>(started)
            const endAt = hours === null ? null : instant(at + hours / 24)
            if (endAt !== null && !endAt.startsWith('+'))
              await api.call('POST', `/operator-runs/${id}/end`, { endAt }, { key })
          }
          const maxMs = company.settings.operatorMaxHours * 3_600_000
          const endMsOf = ({ startAt, endAt }: OperatorRunRecord) =>
            Math.min(Date.parse(startAt) + maxMs, endAt === null ? Infinity : Date.parse(endAt))
          for (const query of queries) {
            if (isReversed(query.range)) continue
            const expected = overlapping(records.list('operatorRun', company.id), query, endMsOf, [own, foreign])
            const found = await listed('/operator-runs', 'machineId', query, [own, foreign])
            expect(JSON.stringify(found)).to.equal(JSON.stringify(expected.map(withoutCompany)))
          }
        },
      ),
      { numRuns: 12 },
    ))

  it('GET /annotations contains the annotations that overlap the range', () =>
    forAll(
      fc.asyncProperty(
        fc.array(
          fc.record({
            machine: fc.nat(1),
            at: day,
            days: fc.constantFrom(null, null, 0.5, 1, 2, 400),
            change: fc.constantFrom('add', 'add', 'add', 'move', 'delete', 'reason', 'foreign'),
          }),
          { maxLength: 15 },
        ),
        fc.array(anyQuery, { minLength: 3, maxLength: 3 }),
        async (changes, queries) => {
          const [own, foreign] = [await addMachines(adminKey), await addMachines(otherKey)]
          const { records, company } = api.registrar
          const { id: reasonId } = shaped<{ id: number }>(await api.call('POST', '/downtime-reasons', { name: 'Jam' }))
          await api.call('PUT', '/downtime-reasons/1', { name: 'Jam' }, { key: otherKey })
          for (const { id } of records.list('annotation', company.id)) await api.call('DELETE', `/annotations/${id}`)
          for (const { machine, at, days, change } of changes) {
            const known = records.list('annotation', company.id)
            const id = known[at % Math.max(1, known.length)]?.id
            const endAt = days === null ? null : instant(at + days)
            const span = { startAt: instant(at), endAt: endAt?.startsWith('+') === true ? null : endAt }
            const body = { machineId: own[machine], reasonId, ...span, note: `At ${at}` }
            if (change === 'add') await api.call('POST', '/annotations', body)
            else if (change === 'foreign') {
              const theirs = { ...body, machineId: foreign[machine], reasonId: 1 }
              await api.call('POST', '/annotations', theirs, { key: otherKey })
            } else if (change === 'reason') {
              const machineId = own[machine] ?? ''
              const assigned = { machineId, reasonId, ...span, endsWithStop: days === null }
              await api.registrar.perform('annotation.reasons', { changes: [assigned] })
            } else if (id !== undefined && change === 'move')
              await api.call('PUT', `/annotations/${id.toUpperCase()}`, body)
            else if (id !== undefined) await api.call('DELETE', `/annotations/${id}`)
          }
          const endMsOf = ({ endAt }: AnnotationRecord) => (endAt === null ? Infinity : Date.parse(endAt))
          for (const query of queries) {
            if (isReversed(query.range)) continue
            const expected = overlapping(records.list('annotation', company.id), query, endMsOf, [own, foreign])
            const found = await listed('/annotations', 'machineId', query, [own, foreign])
            expect(JSON.stringify(found)).to.equal(JSON.stringify(expected.map(annotationResponse)))
          }
        },
      ),
      { numRuns: 12 },
    ))

  it('GET /job-runs contains the runs that count and overlap the range, and GET /erp/jobdispatch/:id each run', () =>
    forAll(
      fc.asyncProperty(
        fc.array(
          fc.record({
            machine: fc.nat(1),
            at: day,
            days: fc.constantFrom(null, null, 0, 0.5, 1, 2, 400),
            job: fc.nat(1),
            isForeign: fc.constantFrom(false, false, false, true),
          }),
          { maxLength: 15 },
        ),
        fc.array(fc.tuple(anyQuery, fc.constantFrom(null, 'a', 'b', 'none'), fc.constantFrom(null, true, false)), {
          minLength: 4,
          maxLength: 4,
        }),
        async (changes, queries) => {
          const [own, foreign] = [await addMachines(adminKey), await addMachines(otherKey)]
          const { records, company } = api.registrar
          const prefix = randomUUID()
          for (const key of [adminKey, otherKey])
            for (const id of ['a', 'b']) await api.call('PUT', `/job-operations/${id}`, { jobName: id }, { key })
          for (const [index, { machine, at, days, job, isForeign }] of changes.entries()) {
            const key = isForeign ? otherKey : adminKey
            const run = {
              erpJobOperationRunId: `${prefix}-${index}`,
              jobName: job === 0 ? 'a' : 'b',
              startAt: instant(at),
            }
            const erpMachineId = (isForeign ? foreign : own)[machine]
            await api.call('POST', '/erp/jobdispatch/start', { ...run, erpMachineId }, { key })
            const endAt = days === null ? null : instant(at + days)
            if (endAt !== null && !endAt.startsWith('+'))
              await api.call('POST', '/erp/jobdispatch/stop', { ...run, endAt }, { key })
          }
          const nowMs = Date.parse(instant(2))
          const runs = records.list('jobRun', company.id)
          for (const [query, job, running] of queries) {
            const { range, machines } = query
            if (isReversed(range)) continue
            const expected = runs
              .flatMap(run => {
                const span = naiveSpan(run, runs)
                return span ? [{ run, ...span }] : []
              })
              .filter(({ run, startMs, endMs }) => {
                const isAfter = range.start === null || endMs > Date.parse(instant(range.start))
                const isBefore = range.end === null || startMs < Date.parse(instant(range.end))
                const isOfJob = job === null || run.jobOperationId === job
                const isRunning = startMs <= nowMs && nowMs < endMs
                const isAsked = isOfJob && (running === null || running === isRunning)
                return isAfter && isBefore && isAsked && matches(run.machineId, machines, own, foreign)
              })
              .toSorted((a, b) => a.startMs - b.startMs || a.run.startSequence - b.run.startSequence)
              .map(counted => jobRunItem(counted, nowMs))
            const filters = {
              ...(job !== null && { jobOperationId: job }),
              ...(running !== null && { running: String(running) }),
            }
            const path = `/job-runs?${new URLSearchParams(filters).toString()}`
            const found = await listed(path, 'machineId', query, [own, foreign])
            expect(JSON.stringify(found)).to.equal(JSON.stringify(expected))
          }
          for (const run of runs.filter(({ machineId }) => own.includes(machineId))) {
            const span = naiveSpan(run, runs)
            const endAt = span ? jobRunItem({ run, ...span }, nowMs).endAt : run.startAt
            const metrics = { totalParts: 0, goodParts: 0, scrapParts: 0, nonconformParts: 0 }
            const { body } = await api.call('GET', `/erp/jobdispatch/${run.id}`)
            expect(JSON.stringify(body)).to.equal(JSON.stringify({ startAt: run.startAt, endAt, metrics }))
          }
          expect((await api.call('GET', `/erp/jobdispatch/${prefix.toUpperCase()}-0`)).status).to.equal(404)
        },
      ),
      { numRuns: 12 },
    ))

  it('A job operation that is only in the store is found by its id', async () => {
    await api.call('PUT', '/job-operations/a', { jobName: 'a' })
    const found = await api.call('GET', '/job-operations/a')
    expect(found.status).to.equal(200)
    expect(shaped<{ jobName: string }>(found).jobName).to.equal('a')
    expect((await api.call('GET', '/job-operations/a', undefined, { key: otherKey })).status).to.equal(404)
    await api.call('DELETE', '/job-operations/a')
    expect((await api.call('GET', '/job-operations/a')).status).to.equal(404)
  })

  it('A page after a deleted or foreign record, or one of another id, is rejected', async () => {
    const [machineId] = await addMachines(otherKey)
    const added = await api.call('POST', '/part-adjustment', { machine_id: machineId, count: 1 }, { key: otherKey })
    const { id } = shaped<PartAdjustmentResponse>(added)
    for (const after of [id, randomUUID(), '%27'])
      expect((await api.call('GET', `/part-adjustments?after=${after}`)).status, after).to.equal(400)
    const next = () => api.call('GET', `/part-adjustments?after=${id.toUpperCase()}`, undefined, { key: otherKey })
    expect((await next()).status).to.equal(200)
    await api.call('DELETE', `/part-adjustment/${id}`, undefined, { key: otherKey })
    expect((await next()).status).to.equal(400)
  })
})

function adjustmentResponse(record: PartAdjustmentRecord): object {
  return {
    id: record.id,
    machine_id: record.machineId,
    adjustmenttime: record.adjustmentTime,
    category_id: record.categoryId,
    message: record.message,
    scrapcount: record.scrapCount,
    count: record.count,
    reject_behavior: record.rejectBehavior ?? 'scrap',
  }
}

function annotationResponse(record: AnnotationRecord): object {
  const { id, machineId, reasonId, startAt, endAt, note, endsWithStop } = record
  return { id, machineId, reasonId, startAt, endAt, note, ...(endsWithStop === true && { endsWithStop }) }
}

/** The effective time of a run among all runs, without an index; null: the run does not count. */
function naiveSpan(
  run: JobRunRecord,
  all: readonly JobRunRecord[],
): { readonly startMs: number; readonly endMs: number } | null {
  const others = all.filter(each => each.machineId === run.machineId && each.endAt !== each.startAt)
  const isReplaced = others.some(each => each.startAt === run.startAt && each.startSequence > run.startSequence)
  if (run.endAt === run.startAt || isReplaced) return null
  const ends = [...others.map(({ startAt }) => startAt).filter(at => at > run.startAt), run.endAt ?? []].flat()
  return { startMs: Date.parse(run.startAt), endMs: Math.min(...ends.map(at => Date.parse(at))) }
}

function jobRunItem(
  { run, startMs, endMs }: { readonly run: JobRunRecord; readonly startMs: number; readonly endMs: number },
  nowMs: number,
): JobRunItem {
  const { id, machineId, jobOperationId, startInSetup, startAt, productionAt } = run
  const isOpen = endMs === Infinity || (startMs <= nowMs && nowMs < endMs)
  const endAt = isOpen ? null : new Date(endMs).toISOString()
  return { id, machineId, jobOperationId, startInSetup, startAt, productionAt, endAt }
}
