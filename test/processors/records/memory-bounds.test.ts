import { expect } from 'chai'
import * as fc from 'fast-check'
import { Registrar } from '../../../processors/registrar/registrar.ts'
import type { MemoryLimits } from '../../../schema/commands/stored-records.ts'
import { changeBetween } from '../../../schema/records/record-kinds.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { forAll } from '../../support/for-all.ts'
import { decideSync } from '../../support/naive-uses.ts'
import { hour, Plant } from '../registrar/plant.ts'
import { play, randomHistory } from './random-history.ts'
import { expectSameInputs } from './same-inputs.ts'

const limits: MemoryLimits = {
  maxAgeMs: 5 * hourMs,
  minAgeMs: 0,
  maxRecords: 1e9,
  maxRecordsPerMachine: 0,
  slack: 0,
  maxOperations: 2,
  incidentAgeMs: 0,
  maxSettledIncidents: 0,
  deliveryAgeMs: 0,
}

describe('memory bounds of records', () => {
  it('From the horizon on, inputs of machines equal those of all records, after any history', () =>
    forAll(
      fc.property(randomHistory, drawn => {
        let bounded: Registrar | null = null
        play(drawn, (plant, entry) => {
          if (!bounded) {
            bounded = new Registrar(limits)
            for (const each of plant.entries) bounded.apply(each, each.command.nowMs)
          } else bounded.apply(entry, entry.command.nowMs)
          expectSameInputs(plant.records, bounded.records)
        })
      }),
      { numRuns: 250, shrinks: true },
    ))

  it('A registrar with few records in memory decides like one with all records', () =>
    forAll(
      fc.property(randomHistory, drawn => {
        const all = new Registrar()
        const bounded = new Registrar(limits)
        play(drawn, (plant, entry, command) => {
          for (const each of plant.entries.slice(all.lastCommandOffset + 1, -1))
            for (const registrar of [all, bounded]) registrar.apply(each, each.command.nowMs)
          const decided = decideSync(bounded, command, command.nowMs, all.records)
          expect(JSON.parse(JSON.stringify(decided))).to.deep.equal({ outcome: entry.outcome, changes: entry.changes })
        })
      }),
      { numRuns: 250, shrinks: true },
    ))

  /** Decides and applies commands with few records in memory. */
  function boundedPlant() {
    const plant = new Plant()
    const bounded = new Registrar(limits)
    const machine = { id: plant.machine({ erpMachineId: 'M1' }), companyId: plant.companyId }
    plant.result('operator.put', { id: 'ann', name: 'Ann' })
    const perform = (name: string, payload: unknown) => {
      for (const each of plant.entries.slice(bounded.lastCommandOffset + 1)) bounded.apply(each, each.command.nowMs)
      const command = plant.command(name, payload)
      const decided = decideSync(bounded, command, command.nowMs, plant.records)
      const entry = plant.fold(command)
      bounded.apply(entry, command.nowMs)
      expect(JSON.parse(JSON.stringify(decided))).to.deep.equal({ outcome: entry.outcome, changes: entry.changes })
      return entry.outcome
    }
    const startRun = (id: string, startAt: string) =>
      perform('jobRun.start', { erpJobOperationRunId: id, erpMachineId: 'M1', jobName: 'J', startAt })
    return { plant, records: bounded.records, machine, perform, startRun }
  }

  it('The last run before the horizon stays in memory; after its cancellation the machine is read from the store', () => {
    const { plant, records, machine, perform, startRun } = boundedPlant()
    for (const id of ['a', 'b', 'c']) startRun(id, hour(id.charCodeAt(0) - 96))
    plant.nowMs += 20 * hourMs
    startRun('d', hour(19))
    expect(records.runsOf(machine.id).map(({ id }) => id)).to.deep.equal(['c', 'd'])
    expect(records.inMemoryFromMs(machine)).to.equal(Date.parse(hour(15)))
    perform('jobRun.end', { erpJobOperationRunId: 'c', endAt: hour(3) })
    expect(records.inMemoryFromMs(machine)).to.equal(Date.parse(hour(19)))
    expect(startRun('b', hour(5)).ok, 'run b ended when run d started').to.equal(false)
  })

  it('A changed old run does not become the last run before the horizon if runs after it are not in memory', () => {
    const { plant, records, machine, perform, startRun } = boundedPlant()
    for (const id of ['a', 'b', 'c']) startRun(id, hour(id.charCodeAt(0) - 96))
    plant.nowMs += 20 * hourMs
    startRun('d', hour(19))
    perform('jobRun.end', { erpJobOperationRunId: 'c', endAt: hour(3) })
    perform('jobRun.end', { erpJobOperationRunId: 'a', endAt: hour(9) })
    startRun('late', hour(0))
    expect(records.runsOf(machine.id).map(({ id }) => id)).to.deep.equal(['d'])
    expect(records.inMemoryFromMs(machine)).to.equal(Date.parse(hour(19)))
    expectSameInputs(plant.records, records)
    perform('jobRun.end', { erpJobOperationRunId: 'c', endAt: hour(4) })
    expect(records.inMemoryFromMs(machine)).to.equal(Date.parse(hour(15)))
    expectSameInputs(plant.records, records)
  })

  it('Of runs that are not in memory, the store shows whether they are in progress', () => {
    const { plant, perform, startRun } = boundedPlant()
    for (const id of ['a', 'b', 'c']) startRun(id, hour(id.charCodeAt(0) - 96))
    plant.nowMs += 20 * hourMs
    startRun('d', hour(21))
    perform('jobRun.end', { erpJobOperationRunId: 'c', endAt: hour(3) })
    expect(startRun('b', hour(5)).ok, 'run b is in progress until run d starts').to.equal(true)
    expect(startRun('a', hour(5)).ok, 'run a ended when run b started').to.equal(false)
  })

  it('Sign-ins without end leave memory after their maximum duration, and are found in the store', () => {
    const { plant, records, machine, perform } = boundedPlant()
    const signIn = (at: number) => {
      const outcome = perform('operatorRun.start', { machineId: machine.id, operatorId: 'ann', startAt: hour(at) })
      return outcome.ok && outcome.result
    }
    const first = signIn(0)
    plant.nowMs += 40 * hourMs
    signIn(39)
    expect(records.operatorRunsOf(machine.id).map(({ startAt }) => startAt)).to.deep.equal([hour(39)])
    expect(signIn(10)).to.deep.equal(first)
    expect(signIn(17)).not.to.deep.equal(first)
  })

  it('Old records leave memory, also if there are too many recent ones', () => {
    const few = { ...limits, maxAgeMs: 1000 * hourMs, maxRecords: 20, slack: 5 }
    const [byAge, byNumber] = [new Registrar(limits), new Registrar(few)]
    const drawn = Array.from({ length: 300 }, (_, index) => ({
      what: 'partAdjustment.create' as const,
      which: index,
      at: 0,
      to: 1,
      isRecent: true,
      wait: index % 2,
    }))
    play(drawn, (_, entry) => {
      for (const registrar of [byAge, byNumber]) registrar.apply(entry, entry.command.nowMs)
      for (const registrar of [byAge, byNumber]) expect([...registrar.records.allRecords()]).to.have.length.below(40)
    })
  })

  it('The records in memory are those from which another process continues', () =>
    forAll(
      fc.property(randomHistory, drawn => {
        const bounded = new Registrar(limits)
        const plant = play(drawn, () => undefined)
        for (const each of plant.entries) bounded.apply(each, each.command.nowMs)
        const restored = new Registrar(limits)
        restored.restoreFrom(bounded.records.memoryStart)
        const records = [...bounded.records.allRecords()]
        for (const company of [true, false])
          for (const { kind, id, record } of records)
            if ((kind === 'company') === company) restored.restore(changeBetween(kind, id, null, record))
        for (const machine of plant.records.allMachines())
          expect(restored.records.inMemoryFromMs(machine)).to.equal(bounded.records.inMemoryFromMs(machine))
        expectSameInputs(plant.records, restored.records)
      }),
      { numRuns: 50, shrinks: true },
    ))
})
