import { expect } from 'chai'
import * as fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { annotationStamp } from '../../../../processors/records/annotation-stamp.ts'
import type { AnnotationRecord } from '../../../../schema/records/annotation.ts'
import { Plant, hour } from '../plant.ts'

describe('operators', () => {
  it('A repeated sign-in returns the open one, and a sign-out can be corrected', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    plant.result('operator.put', { id: 'ann', name: 'Ann' })
    const run = plant.result('operatorRun.start', { machineId, operatorId: 'ann' })
    expect(run).to.include({ machineId, operatorId: 'ann', startAt: hour(0), endAt: null })
    expect(plant.result('operatorRun.start', { machineId, operatorId: 'ann', startAt: hour(15.9) })).to.deep.equal(run)
    const later = plant.result('operatorRun.start', {
      machineId,
      operatorId: 'ann',
      startAt: hour(16),
    })
    expect(later.id, 'the first sign-in had expired').to.not.equal(run.id)
    plant.nowMs += 3_600_000
    expect(plant.result('operatorRun.end', { id: run.id }).endAt).to.equal(hour(1))
    expect(plant.result('operatorRun.end', { id: run.id, endAt: hour(2) }).endAt).to.equal(hour(2))
    expect(plant.faults('operatorRun.end', { id: run.id, endAt: hour(-1) })).to.deep.equal(['endAt InvalidRange'])
    expect(plant.refusal('operatorRun.end', { id: randomUUID() }).status).to.equal(404)
    expect(plant.faults('operatorRun.start', { machineId: randomUUID(), operatorId: 'bob' })).to.have.members([
      'machineId InvalidDataItem',
      'operatorId InvalidDataItem',
    ])
    const name = plant.records.machine(machineId)?.name
    expect(plant.refusal('operator.delete', { id: 'ann' })).to.include({
      status: 409,
      message: `In use by 2 sign-ins: ${name} ${hour(0)}, ${name} ${hour(16)}`,
    })
    plant.result('operator.put', { id: 'bob', name: 'Bob' })
    expect(plant.result('operator.delete', { id: 'bob' })).to.equal(null)
  })
})

describe('downtime reasons', () => {
  it('Downtime reasons get unused integer ids, or the id under which they are put', () => {
    const plant = new Plant()
    const put = (payload: object) => plant.result('downtimeReason.put', { name: 'R', ...payload })
    expect(put({})).to.deep.equal({
      id: 1,
      companyId: plant.companyId,
      name: 'R',
      color: '#808080',
      planned: false,
      hidden: false,
      group: null,
      machineGroupIds: [],
    })
    plant.result('downtimeReason.delete', { id: 1 })
    expect(put({}).id).to.equal(2)
    expect(put({ id: 10, color: '#ff0000', planned: true })).to.include({ id: 10, planned: true })
    expect(put({ id: 5 }).id).to.equal(5)
    expect(put({}).id).to.equal(11)
    expect(plant.faults('downtimeReason.put', { name: 'R', color: '"><script>' })).to.deep.equal([
      'color InvalidDataItem',
    ])
  })

  it('A downtime reason names existing machine groups, each once, and its groups cannot be deleted', () => {
    const plant = new Plant()
    const { companyId } = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    for (const id of ['lathes', 'mills']) plant.result('machineGroup.put', { id, name: id })
    plant.result('machineGroup.put', { id: 'saws', name: 'saws' }, { companyId })
    const put = { id: 4, name: 'Chips', group: 'Cleaning' }
    const wrong = { ...put, group: ' ', machineGroupIds: ['lathes', 'saws', 'x'] }
    expect(plant.faults('downtimeReason.put', wrong)).to.deep.equal([
      'group InvalidDataItem',
      'machineGroupIds[1] InvalidDataItem',
      'machineGroupIds[2] InvalidDataItem',
    ])
    const repeated = { ...put, machineGroupIds: ['lathes', 'mills', 'lathes'] }
    expect(plant.result('downtimeReason.put', repeated)).to.deep.include({
      group: 'Cleaning',
      machineGroupIds: ['lathes', 'mills'],
    })
    expect(plant.refusal('machineGroup.delete', { id: 'mills' })).to.include({
      status: 409,
      message: 'In use by 1 downtime reason: Chips',
    })
    plant.result('downtimeReason.put', { id: 4, name: 'Chips', machineGroupIds: null })
    expect(plant.records.get('downtimeReason', plant.companyId, 4)).to.deep.include({
      group: null,
      machineGroupIds: [],
    })
    expect(plant.result('machineGroup.delete', { id: 'mills' })).to.equal(null)
  })

  it('Downtime reason ids are counted per company', () => {
    const plant = new Plant()
    const other = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    const put = (payload: object, companyId = plant.companyId) =>
      plant.result('downtimeReason.put', { name: 'R', ...payload }, { companyId }).id
    expect([put({}), put({}), put({ id: 700 })]).to.deep.equal([1, 2, 700])
    expect([put({}, other.companyId), put({ id: 700, name: 'Mine' }, other.companyId)]).to.deep.equal([1, 700])
    expect(plant.records.get('downtimeReason', plant.companyId, 700)).to.include({ name: 'R' })
    plant.result('downtimeReason.delete', { id: 1 }, { companyId: other.companyId })
    expect(plant.records.get('downtimeReason', plant.companyId, 1)).to.include({ name: 'R' })
    expect(put({})).to.equal(701)
    const type = plant.result('partAdjustmentType.put', { name: 'T' }, other)
    expect([type.id, plant.result('partAdjustmentType.put', { name: 'T' }).id]).to.deep.equal([1, 1])
  })

  it('A downtime reason that annotations use cannot be deleted', () => {
    const plant = new Plant()
    const reasonId = plant.reason()
    plant.result('annotation.put', { machineId: plant.machine({ name: 'Lathe' }), reasonId, startAt: hour(0) })
    expect(plant.refusal('downtimeReason.delete', { id: reasonId })).to.include({
      status: 409,
      message: `In use by 1 annotation: Lathe ${hour(0)}; hide it instead`,
    })
  })
})

describe('annotations', () => {
  const spans = (plant: Plant, machineId: string): string[] =>
    plant.records.annotationsOf(machineId).map(({ startAt, endAt, note }) => `${note} ${startAt} ${endAt}`)

  function annotated(): {
    plant: Plant
    machineId: string
    put: (note: string, from: number, to: number | null) => AnnotationRecord
  } {
    const plant = new Plant()
    const machineId = plant.machine()
    const reasonId = plant.reason()
    const put = (note: string, from: number, to: number | null) =>
      plant.result('annotation.put', {
        machineId,
        reasonId,
        note,
        startAt: hour(from),
        endAt: to === null ? null : hour(to),
      })
    return { plant, machineId, put }
  }

  it('A reason is changed only if the annotation is unchanged since it was read; an omitted note is kept', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    const { id: jam } = plant.result('downtimeReason.put', { name: 'Jam' })
    const { id: tool } = plant.result('downtimeReason.put', { name: 'Tool' })
    const span = { machineId, startAt: hour(1), endAt: hour(3) }
    const stamp = () => annotationStamp(plant.records.annotationsOf(machineId), span)
    const seen = stamp()
    const [first] = plant.result('annotation.reasons', {
      changes: [{ ...span, reasonId: jam, note: 'chips', stamp: seen }],
    })
    const again = { changes: [{ ...span, reasonId: tool, stamp: seen }] }
    expect(plant.refusal('annotation.reasons', again)).to.include({ status: 409, code: 'RecordChanged' })
    const [changed] = plant.result('annotation.reasons', { changes: [{ ...span, reasonId: tool, stamp: stamp() }] })
    expect(changed).to.deep.equal({ ...first, reasonId: tool, note: 'chips' })
    const touching = stamp()
    plant.result('annotation.put', { machineId, reasonId: jam, startAt: hour(4), endAt: hour(5) })
    expect(stamp(), 'version stamp after a change outside of the span').to.equal(touching)
  })

  it('An annotation that a later one splits keeps its id for the earlier part', () => {
    const { plant, machineId, put } = annotated()
    const outer = put('outer', 0, 10)
    put('inner', 4, 6)
    expect(spans(plant, machineId)).to.deep.equal([
      `outer ${hour(0)} ${hour(4)}`,
      `inner ${hour(4)} ${hour(6)}`,
      `outer ${hour(6)} ${hour(10)}`,
    ])
    expect(plant.records.annotationsOf(machineId)[0]?.id).to.equal(outer.id)
    expect(new Set(plant.records.annotationsOf(machineId).map(({ id }) => id)).size).to.equal(3)
  })

  it('An annotation is trimmed or replaced by a later one, and deleting the later one restores nothing', () => {
    const { plant, machineId, put } = annotated()
    put('a', 0, 2)
    put('b', 2, 4)
    const open = put('c', 4, null)
    const cover = put('d', 1, 5)
    expect(spans(plant, machineId)).to.deep.equal([
      `a ${hour(0)} ${hour(1)}`,
      `d ${hour(1)} ${hour(5)}`,
      `c ${hour(5)} null`,
    ])
    expect(plant.records.get('annotation', plant.companyId, open.id)?.startAt).to.equal(hour(5))
    plant.result('annotation.delete', { id: cover.id })
    expect(spans(plant, machineId)).to.have.length(2)
    put('e', -1, null)
    expect(spans(plant, machineId)).to.deep.equal([`e ${hour(-1)} null`])
  })

  it('Adjacent annotations do not overlap', () => {
    const { plant, machineId, put } = annotated()
    put('a', 0, 2)
    put('b', 4, 6)
    put('c', 2, 4)
    expect(spans(plant, machineId)).to.have.length(3)
  })

  it('annotation.put lists every invalid field', () => {
    const { plant } = annotated()
    expect(
      plant.faults('annotation.put', { machineId: randomUUID(), reasonId: 99, startAt: hour(1), endAt: hour(1) }),
    ).to.have.members(['machineId InvalidDataItem', 'reasonId InvalidDataItem', 'endAt InvalidRange'])
    expect(plant.refusal('annotation.delete', { id: randomUUID() }).status).to.equal(404)
  })

  it('Annotations never overlap, and each hour has the annotation that was put last', () => {
    const ids = Array.from({ length: 4 }, () => randomUUID())
    const act = fc.record({
      id: fc.option(fc.constantFrom(...ids)),
      from: fc.integer({ min: 0, max: 19 }),
      length: fc.option(fc.integer({ min: 1, max: 8 })),
      isDelete: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 25 }), acts => {
        const plant = new Plant()
        const machineId = plant.machine()
        const reasonId = plant.reason()
        // The model of the test: the annotation of each of 30 hours; the last hour stands for all later ones.
        const model: (string | null)[] = Array.from({ length: 30 }, () => null)
        for (const [index, { id, from, length, isDelete }] of acts.entries()) {
          const known = id !== null && plant.records.get('annotation', plant.companyId, id) !== null
          if (isDelete && !known) continue
          if (known) {
            // A deletion frees only the time that the annotation covers now: parts that were cut off have ids of their
            // own.
            const { startAt, endAt } = plant.records.get('annotation', plant.companyId, id) ?? {
              startAt: '',
              endAt: null,
            }
            for (let at = 0; at < 30; at++)
              if (hour(at) >= startAt && (endAt === null || hour(at) < endAt)) model[at] = null
          }
          if (isDelete && id !== null) {
            plant.result('annotation.delete', { id })
            continue
          }
          const to = length === null ? 30 : from + length
          const note = `n${index}`
          plant.result('annotation.put', {
            id,
            machineId,
            reasonId,
            note,
            startAt: hour(from),
            endAt: length === null ? null : hour(to),
          })
          for (let at = from; at < to; at++) model[at] = note
        }
        const annotations = plant.records.annotationsOf(machineId)
        for (const [index, { startAt, endAt }] of annotations.entries()) {
          const next = annotations[index + 1]
          if (next) expect(endAt !== null && endAt <= next.startAt && startAt < endAt).to.equal(true)
        }
        const told = model.map((_, at) => {
          const one = annotations.find(
            ({ startAt, endAt }) => startAt <= hour(at) && (endAt === null || hour(at) < endAt),
          )
          return one?.note ?? null
        })
        expect(told).to.deep.equal(model)
      }),
      { numRuns: 150 },
    )
  })
})
