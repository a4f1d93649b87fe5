/**
 * CPU time of the evaluation of alert rules alone: machines that each change their state every 10 s since the given
 * number of minutes, rules that evaluate an equal part of them, and stopped machines with unresolved incidents. Without the service,
 * other work on the machine hardly changes the figure:
 *
 *   node --max-semi-space-size=64 --import tsx bench/response/evaluate.ts [machines=5000] [rules=200] [incidents=10000] [seconds=20] [minutes=10]
 */
import { pino } from 'pino'
import { createCalendar } from '../../processors/calendar/calendar.ts'
import { Evaluator } from '../../respond/evaluate/evaluator.ts'
import { RecentHistories } from '../../respond/evaluate/recent-histories.ts'
import type { Segment } from '../../schema/document.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { hourMs, minuteMs, slotOf } from '../../shared/time/units.ts'
import { Plant } from '../../test/processors/registrar/plant.ts'

const [machineCount = 5_000, ruleCount = 200, incidentCount = 10_000, seconds = 20, minutes = 10] = process.argv
  .slice(2)
  .map(Number)
/** Number of rules that evaluate the same machine. */
const rulesOfMachine = 10
const partitions = 4
const batchMs = 250
const changeMs = 10_000
/** In this time, every machine is evaluated after a change of the rules. */
const settleS = changeMs / 1_000

const plant = new Plant()
const { companyId, records } = plant
const firstMs = slotOf(plant.nowMs)
plant.nowMs += minutes * minuteMs
const working = addMachines(machineCount)
const stopped = addMachines(Math.ceil(incidentCount / 2))
const stops = new Set(stopped.map(({ ref }) => ref))
const fences = new Map(Array.from({ length: partitions }, (_, partition) => [partition, fenceOf(partition)]))
const partitionOf = (machineRef: MachineRef) => machineRef % partitions
const histories = new RecentHistories({
  readHistory: async (_company, machines, fromMs, toMs) =>
    machines.flatMap(ref => hoursOf(fromMs, Math.min(toMs, plant.nowMs)).map(slotMs => documentOf(ref, slotMs))),
  fences: () => fences,
  partitionOf,
  clock: () => plant.nowMs,
})
const evaluator = new Evaluator({
  records,
  readHistory: histories.read,
  readRecordChanges: async () => new Map(),
  readActivity: async () => [],
  readNewestSamples: async () => new Map(),
  readActivityAfter: async () => [],
  untilStored: async () => undefined,
  commands: {
    submit: async (name, payload, of) => ({ ok: true, result: plant.result(name, payload, of) }),
  },
  fences: () => fences,
  partitionOf,
  completeTo: async () => new Map([...fences.keys()].map(partition => [partition, plant.nowMs])),
  calendarOf: createCalendar,
  clock: () => plant.nowMs,
  lateMs: 600_000,
  logger: pino({ level: 'warn' }),
})

await work(settleS)
print('without rules', await work(seconds))
addRules()
await work(settleS)
print(`with ${ruleCount} rules`, await work(seconds))
for (const id of ['flood-a', 'flood-b']) putRule(id, stopped, { status: ['INACTIVE'] }, 0)
await work(settleS)
const count = records.incidents.unresolvedCount(companyId)
print(`and ${count.toLocaleString('en')} incidents`, await work(seconds))

/** Returns the CPU time of the evaluation in a number of seconds of the plant, as a share of a core. */
async function work(forSeconds: number): Promise<number> {
  let usedUs = 0
  for (const endMs = plant.nowMs + forSeconds * 1_000; plant.nowMs < endMs; plant.nowMs += batchMs) {
    for (const partition of fences.keys()) {
      const documents = changedMachines(partition).map(ref => documentOf(ref, slotOf(plant.nowMs)))
      const before = process.cpuUsage()
      evaluator.written(histories.written(documents))
      await evaluator.tick()
      const { user, system } = process.cpuUsage(before)
      usedUs += user + system
    }
  }
  return usedUs / 1e6 / forSeconds
}

/** The working machines of a partition that changed their state since the last batch. */
function changedMachines(partition: number): readonly MachineRef[] {
  const batch = Math.floor(plant.nowMs / batchMs)
  return working.flatMap(({ ref }, index) =>
    partitionOf(ref) === partition && (Math.floor(index / partitions) + batch) % (changeMs / batchMs) === 0
      ? [ref]
      : [],
  )
}

function hoursOf(fromMs: number, toMs: number): readonly number[] {
  const startMs = Math.max(firstMs, slotOf(fromMs))
  return Array.from({ length: Math.ceil((toMs - startMs) / hourMs) }, (_, hour) => startMs + hour * hourMs)
}

/** Returns what rules read of a document at present: its last state lasts until the end of the hour. */
function documentOf(machineRef: MachineRef, slotMs: number) {
  const knownMs = Math.min(hourMs, plant.nowMs - slotMs)
  const lengthMs = stops.has(machineRef) ? hourMs : changeMs
  const segments = Array.from({ length: Math.max(1, Math.ceil(knownMs / lengthMs)) }, (_, index): Segment => {
    const isStopped = stops.has(machineRef) || index % 2 === 1
    return {
      cell: 0,
      start: index * lengthMs,
      end: (index + 1) * lengthMs >= knownMs ? hourMs : (index + 1) * lengthMs,
      status: isStopped ? 'INACTIVE' : 'ACTIVE',
      inCycle: !isStopped,
      spindle: false,
      cut: false,
      reason: isStopped ? 0 : null,
      shift: 0,
      run: 0,
      operators: [],
      mode: 'none',
      scheduled: true,
      nonOptional: true,
    }
  })
  return { machineRef, slotMs, segments, alarms: [] }
}

function addMachines(count: number) {
  return Array.from({ length: count }, () => {
    const machine = records.machine(plant.machine())
    if (!machine) throw new Error('The machine is missing')
    return machine
  })
}

/** Rules that open nothing: their stops must last a day. Each evaluates an equal part of the machines. */
function addRules(): void {
  const size = Math.ceil((working.length * rulesOfMachine) / ruleCount)
  for (let rule = 0; rule < ruleCount; rule++) {
    const from = (rule * size) % working.length
    const machines = [...working, ...working].slice(from, from + size)
    putRule(`plant-${rule}`, machines, { stop: { reasons: [] } }, 86_400_000)
  }
}

function putRule(id: string, machines: readonly { readonly id: string }[], condition: object, forMs: number): void {
  const subject = { machineIds: machines.map(machine => machine.id) }
  plant.do('alertRule.put', { id, name: id, severity: 'info', subject, condition, forMs }, { companyId })
}

function fenceOf(partition: number): number {
  return plant.result('claim', { partition, owner: 'bench' }, { companyId: null }).fence
}

function print(name: string, share: number): void {
  console.log(`${name.padEnd(24)} ${(100 * share).toFixed(2)} % of a core`)
}
