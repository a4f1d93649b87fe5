import { expect } from 'chai'
import * as fc from 'fast-check'
import { Registrar } from '../../../processors/registrar/registrar.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { Plant, startMs } from './plant.ts'
import { randomCommand } from './random-command.ts'
import { decideSync } from '../../support/naive-uses.ts'

describe('Registrar', () => {
  it('A repeated command gets its first outcome and changes nothing', () => {
    const plant = new Plant()
    const command = plant.command('downtimeReason.put', { name: 'R' })
    const first = plant.fold(command)
    const again = plant.fold(command, command.deadlineMs)
    expect(first.changes).to.have.length(1)
    expect(again.outcome).to.deep.equal(first.outcome)
    expect(again.changes).to.deep.equal([])
  })

  it('A command that the log appended after its deadline is rejected', () => {
    const plant = new Plant()
    const command = plant.command('downtimeReason.put', { name: 'R' })
    expect(decideSync(plant.registrar, command, command.deadlineMs).outcome.ok).to.equal(true)
    const late = decideSync(plant.registrar, command, command.deadlineMs + 1)
    expect(late.changes).to.deep.equal([])
    expect(late.outcome).to.deep.include({ ok: false })
    if (!late.outcome.ok) expect(late.outcome.error).to.include({ status: 409, code: 'DeadlinePassed' })
  })

  it('Command ids are forgotten only after their deadline', () => {
    const plant = new Plant()
    const command = plant.command('downtimeReason.put', { name: 'R' })
    plant.fold(command)
    plant.nowMs += 86_400_000
    plant.reason('another')
    const repeated = decideSync(plant.registrar, command, plant.nowMs)
    expect(repeated.outcome.ok).to.equal(false)
    expect(repeated.changes).to.deep.equal([])
  })

  it('Deciding a command does not change the records of the registrar', () => {
    const plant = new Plant()
    const command = plant.command('downtimeReason.put', { name: 'R' })
    const [first, second] = [
      decideSync(plant.registrar, command, startMs),
      decideSync(plant.registrar, command, startMs),
    ]
    expect(second).to.deep.equal(first)
  })

  it('A command that is not in the catalogue is rejected', () => {
    expect(new Plant().refusal('plant.explode', {})).to.include({ status: 400, code: 'UnknownCommand' })
  })

  it('A request that is repeated with its Idempotency-Key gets the first outcome and changes nothing', () => {
    const plant = new Plant()
    const repeat = { key: 'ab'.repeat(32), body: 'cd'.repeat(32) }
    const command = () => ({ ...plant.command('downtimeReason.put', { name: 'R' }), repeat })
    const first = command()
    const { outcome, changes } = decideSync(plant.registrar, first, startMs)
    plant.registrar.apply({ command: first, commandOffset: plant.entries.length, outcome, changes }, startMs)
    expect(decideSync(plant.registrar, command(), startMs)).to.deep.equal({ outcome, changes: [] })
  })

  it('A command that fails unexpectedly is rejected without changes, and its error is returned for the log', () => {
    const plant = new Plant()
    const failure = new TypeError('a bug')
    const payload = {
      get name() {
        throw failure
      },
    }
    const decided = decideSync(plant.registrar, plant.command('downtimeReason.put', payload), startMs)
    expect(decided).to.deep.include({ changes: [], failure })
    expect(decided.outcome).to.have.nested.include({ ok: false, 'error.status': 409, 'error.code': 'CommandFailed' })
  })

  it('Entries that are applied in steps give the same state as entries that are applied at once', async () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    plant.reason()
    const restarted = new Registrar()
    expect(restarted.lastCommandOffset).to.equal(-1)
    for (const entry of plant.entries) await restarted.applyCooperatively(entry, entry.command.nowMs)
    expect(restarted.lastCommandOffset).to.equal(plant.entries.length - 1)
    for (const { records } of [plant.registrar, restarted]) expect(records.offset).to.equal(plant.entries.length - 1)
    const next = plant.command('downtimeReason.put', { name: 'Tool change' })
    expect(decideSync(restarted, next, startMs)).to.deep.equal(decideSync(plant.registrar, next, startMs))
    expect([...restarted.records.allRecords()]).to.deep.equal([...plant.records.allRecords()])
  })

  it('A command that needs more ids than the caller provided gets valid, distinct ids', () => {
    const plant = new Plant()
    const shifts = Array.from({ length: 12 }, (_, at) => ({
      name: `S${at}`,
      days: [1],
      start: `${String(at).padStart(2, '0')}:00`,
      end: `${String(at + 1).padStart(2, '0')}:00`,
    }))
    plant.result('schedule.put', { id: 's', name: 'S', versions: [{ shifts }] })
    const ids = plant.records.get('schedule', plant.companyId, 's')?.versions[0]?.shifts.map(({ id }) => id) ?? []
    expect(new Set(ids).size).to.equal(12)
    for (const id of ids)
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('Deciding all commands again creates the same entries, from the start or from any entry on', () => {
    fc.assert(
      fc.property(fc.array(randomCommand, { maxLength: 40 }), fc.nat(40), (acts, crash) => {
        const plant = new Plant()
        plant.machine({ erpMachineId: 'M1' })
        const commands = acts.map(({ name, payload }) => plant.command(name, payload))
        const known = plant.entries.length
        for (const command of commands) plant.fold(command)
        const restarted = new Registrar()
        const kept = known + Math.min(crash, commands.length)
        for (const entry of plant.entries.slice(0, kept)) restarted.apply(entry, entry.command.nowMs)
        for (const [index, entry] of plant.entries.entries()) {
          const command = commands[index - known]
          if (index < kept || !command) continue
          const decided = decideSync(restarted, command, command.nowMs)
          expect(decided).to.deep.equal({ outcome: entry.outcome, changes: entry.changes })
          restarted.apply(entry, command.nowMs)
        }
        expect(restarted.lastCommandOffset).to.equal(plant.registrar.lastCommandOffset)
      }),
      { numRuns: 100 },
    )
  })

  it('A ref is never reused for another record', () => {
    fc.assert(
      fc.property(fc.array(randomCommand, { maxLength: 60 }), acts => {
        const plant = new Plant()
        plant.machine({ erpMachineId: 'M1' })
        for (const { name, payload } of acts) plant.do(name, payload)
        const created = plant.entries.flatMap(({ changes }) => changes).filter(({ before }) => before === null)
        const refs = created.flatMap(refOf)
        expect(new Set(refs).size).to.equal(refs.length)
      }),
      { numRuns: 100 },
    )
  })

  it('Each change contains the record before and after it', () => {
    fc.assert(
      fc.property(fc.array(randomCommand, { maxLength: 40 }), acts => {
        const plant = new Plant()
        plant.machine({ erpMachineId: 'M1' })
        for (const { name, payload } of acts) plant.do(name, payload)
        const now = new Map<string, unknown>()
        for (const { kind, id, before, after } of plant.entries.flatMap(({ changes }) => changes)) {
          expect(now.get(`${kind} ${id}`) ?? null).to.deep.equal(before)
          now.set(`${kind} ${id}`, after)
        }
      }),
      { numRuns: 100 },
    )
  })
})

function refOf(change: Change): string[] {
  const { kind, after } = change
  if (!after) return []
  if (kind === 'downtimeReason') return [`${kind} ${after.id}`]
  return 'ref' in after ? [`${kind} ${after.ref}`] : []
}
