import { hourMs, minuteMs } from '../../shared/time/units.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Sample } from '../../schema/sample.ts'
import { sample, TestPlant } from '../../test/api/reports/plant-support.ts'
import { asMachineRef, type MachineRef } from '../../schema/refs.ts'

/** The first day, UTC; the shop days of the plant are UTC days. */
export const startMs = Date.parse('2026-03-02T00:00:00.000Z')
export const dayMs = 24 * hourMs
/** Job runs of each machine in a day; refs rise by day, then machine, then run. */
export const runsPerDay = 3

const groups = 20
const operators = 200
const operations = 400

/**
 * A plant that works in three shifts: machines in groups, a job run and an operator in each shift (changing in the middle of an hour),
 * jobs with ideal and expected times.
 */
export function createPlant(machines: number): TestPlant {
  const plant = new TestPlant({}, 1)
  const companyId = plant.company.id
  plant.put('schedule', {
    id: 'schedule',
    companyId,
    name: 'Three shifts',
    versions: [{ effectiveFrom: null, shifts: [6, 14, 22].map(shiftAt) }],
    exceptions: [],
  })
  for (let i = 0; i < groups; i++)
    plant.put('machineGroup', { id: `group-${i}`, ref: i + 1, companyId, name: `Line ${i}` })
  for (let i = 1; i <= operators; i++)
    plant.put('operator', { id: `operator-${i}`, ref: i, companyId, name: `Operator ${i}` })
  for (let i = 1; i <= operations; i++)
    plant.operation(i, { idealPartTime: 50_000 + i, expectedPartTime: 60_000, expectedSetupTime: 600 })
  for (let ref = 1; ref <= machines; ref++) {
    plant.machine(ref, {
      machineGroupIds: [`group-${ref % groups}`],
      scheduleId: 'schedule',
      createdAt: new Date(startMs).toISOString(),
    })
  }
  return plant
}

function shiftAt(hour: number, index: number) {
  const clock = (at: number) => `${String(at % 24).padStart(2, '0')}:00`
  const days = [1, 2, 3, 4, 5, 6, 7]
  return {
    id: `shift-${index}`,
    ref: index + 1,
    name: `Shift ${index}`,
    optional: false,
    days,
    start: clock(hour),
    end: clock(hour + 8),
  }
}

export function machineOf(plant: TestPlant, ref: number): MachineRecord {
  const machine = plant.records.machineByRef(asMachineRef(ref))
  if (!machine) throw new Error(`Unknown machine ${ref}`)
  return machine
}

/** Refs and bounds of the runs of a machine on a day: from midnight, one after the other. */
export function runsOf(machineRef: MachineRef, day: number, machines: number) {
  const bounds = [0, 6.5 * hourMs + (machineRef % 120) * minuteMs, 14.5 * hourMs + (machineRef % 120) * minuteMs, dayMs]
  return Array.from({ length: runsPerDay }, (_, index) => ({
    ref: runRef(machineRef, day, index, machines),
    operation: 1 + ((machineRef + day + index) % operations),
    startMs: startMs + day * dayMs + (bounds[index] ?? 0),
    endMs: startMs + day * dayMs + (bounds[index + 1] ?? dayMs),
  }))
}

function runRef(machineRef: MachineRef, day: number, index: number, machines: number): number {
  return 1 + (day * machines + machineRef - 1) * runsPerDay + index
}

export function putRuns(plant: TestPlant, machine: MachineRecord, day: number, machines: number): void {
  for (const { ref, operation, startMs: from, endMs: to } of runsOf(machine.ref, day, machines)) {
    const [startAt, endAt] = [new Date(from).toISOString(), new Date(to).toISOString()]
    plant.run(ref, machine, { id: `run-${ref}`, jobOperationId: `operation-${operation}`, startAt, endAt })
  }
}

/** A sign-in for each run of the first day. */
export function putOperators(plant: TestPlant, machine: MachineRecord, machines: number): void {
  for (const [index, { startMs: from, endMs: to }] of runsOf(machine.ref, 0, machines).entries()) {
    plant.put('operatorRun', {
      id: `sign-in-${machine.ref}-${index}`,
      companyId: plant.company.id,
      machineId: machine.id,
      operatorId: `operator-${1 + ((machine.ref + 7 * index) % operators)}`,
      startAt: new Date(from).toISOString(),
      endAt: new Date(to).toISOString(),
    })
  }
}

/** Samples of a machine on the first day: alternately five minutes in cycle and five minutes stopped, with five parts a cycle. */
export function samplesOf(machine: MachineRecord): readonly Sample[] {
  const samples: Sample[] = []
  const shiftMs = (machine.ref % 5) * minuteMs
  for (let turn = 0; turn * 10 * minuteMs + shiftMs < dayMs; turn++) {
    const atMs = startMs + turn * 10 * minuteMs + shiftMs
    samples.push(sample(machine, atMs, 'EXECUTION', 'ACTIVE'), sample(machine, atMs + 1, 'ROTARY_VELOCITY', 900))
    for (let part = 0; part < 5; part++)
      samples.push(sample(machine, atMs + part * minuteMs + 2, 'PART_COUNT', turn * 5 + part))
    samples.push(sample(machine, atMs + 5 * minuteMs, 'EXECUTION', 'STOPPED'))
    samples.push(sample(machine, atMs + 5 * minuteMs + 1, 'ROTARY_VELOCITY', 0))
  }
  return samples.filter(({ atUs }) => atUs < (startMs + dayMs) * 1000)
}

/** The usual metrics of a report, as requested by this benchmark and the one of other stores. */
export const usualMetrics = [
  'oee',
  'availability',
  'performance',
  'quality',
  'totalParts',
  'goodParts',
  'timeInCycle',
  'downtime',
] as const
