import * as fc from 'fast-check'
import { hourMs } from '../../../shared/time/units.ts'
import type { CompanyKind } from '../../../processors/records/record-lookups.ts'
import { hour, Plant } from '../registrar/plant.ts'
import { must } from '../timeline/support.ts'

/** A command of one of the kinds; `which` chooses an existing record, `at` and `to` are hours. */
export interface Drawn {
  readonly what: keyof typeof commands
  readonly which: number
  readonly at: number
  readonly to: number
  readonly isRecent: boolean
  /** Hours that pass before the command. */
  readonly wait: number
}

interface Target {
  readonly plant: Plant
  readonly machineIds: readonly string[]
  readonly drawn: Drawn
  readonly from: string
  readonly to: string | null
}

const pick = <T>(list: readonly T[], which: number): T | undefined => list[which % Math.max(1, list.length)]
const machineOf = ({ machineIds, drawn }: Target): string => must(pick(machineIds, drawn.which))
const idOf = ({ plant, drawn }: Target, kind: CompanyKind): string =>
  String(pick(plant.records.list(kind, plant.companyId), drawn.which)?.id ?? '0d5a6a3e-0000-4000-8000-000000000000')

/** Names of one of ten job operations. */
const namesOf = ({ which, to }: Drawn) => ({
  jobName: ['J', 'K'][which % 2] ?? '',
  lotName: '',
  operationName: '',
  partName: String(to % 5),
})

const importedJob = (drawn: Drawn, row: number) => ({ row, ...namesOf(drawn), description: `at ${drawn.at}` })

const operators = [1, 2].map(number => `0d5a6a3e-0000-4000-8000-0000000000a${number}`)
const groupId = (which: number) => `0d5a6a3e-0000-4000-8000-00000000000${which % 2}`

const commands = {
  'annotation.put': (target: Target) => ({
    ...(target.drawn.which % 3 === 0 && { id: idOf(target, 'annotation') }),
    machineId: machineOf(target),
    reasonId: 1,
    startAt: target.from,
    endAt: target.to,
  }),
  'annotation.delete': (target: Target) => ({ id: idOf(target, 'annotation') }),
  'annotation.reasons': (target: Target) => ({
    changes: target.machineIds.map((machineId, index) => ({
      machineId,
      startAt: target.from,
      endAt: target.to,
      reasonId: index === 0 ? 2 : null,
      endsWithStop: target.drawn.which % 2 === 0,
    })),
  }),
  'annotation.endWithStop': (target: Target) => {
    const annotation = pick(target.plant.records.list('annotation', target.plant.companyId), target.drawn.which)
    return { id: idOf(target, 'annotation'), startAt: annotation?.startAt ?? target.from, endAt: target.to ?? hour(99) }
  },
  'operatorRun.start': (target: Target) => ({
    machineId: machineOf(target),
    operatorId: operators[target.drawn.to % 2],
    startAt: target.from,
  }),
  'operatorRun.end': (target: Target) => ({ id: idOf(target, 'operatorRun'), endAt: target.to }),
  'partAdjustment.create': (target: Target) => ({
    machine_id: machineOf(target),
    count: 1,
    adjustmenttime: target.from,
  }),
  'partAdjustment.update': (target: Target) => ({
    id: idOf(target, 'partAdjustment'),
    count: 2,
    scrapcount: 1,
    adjustmenttime: target.from,
  }),
  'partAdjustment.delete': (target: Target) => ({ id: idOf(target, 'partAdjustment') }),
  'jobRun.start': (target: Target) => ({
    erpJobOperationRunId: target.drawn.which % 4 === 0 ? idOf(target, 'jobRun') : `run ${target.plant.entries.length}`,
    erpMachineId: `M${(target.drawn.which % 2) + 1}`,
    ...namesOf(target.drawn),
    startAt: target.from,
    startInSetup: target.drawn.which % 2 === 0,
  }),
  'jobRun.production': (target: Target) => ({ erpJobOperationRunId: idOf(target, 'jobRun'), productionAt: target.to }),
  'jobRun.end': (target: Target) => {
    const run = pick(target.plant.records.list('jobRun', target.plant.companyId), target.drawn.which)
    // Half of the ends cancel the run.
    const endAt = target.drawn.at % 2 === 0 ? run?.startAt : target.to
    return { erpJobOperationRunId: run?.id ?? 'none', endAt }
  },
  'jobOperation.put': (target: Target) => ({
    id: target.drawn.which % 3 === 0 ? idOf(target, 'jobOperation') : `operation ${target.drawn.which % 5}`,
    ...namesOf(target.drawn),
    partCountMultiplier: target.drawn.at % 3 === 0 ? 2 : null,
    workCenters: target.drawn.at % 2 === 0 ? [{ machineGroupId: groupId(target.drawn.which) }] : [],
  }),
  'jobOperation.delete': (target: Target) => ({ id: idOf(target, 'jobOperation') }),
  'jobImport.apply': (target: Target) => [
    {
      jobs: [importedJob(target.drawn, 0), importedJob({ ...target.drawn, to: target.drawn.to + 1 }, 1)],
      autoArchive: target.drawn.at % 2 === 0,
      isPreview: target.drawn.at % 5 === 0,
    },
  ],
  'machineGroup.put': (target: Target) => ({ id: groupId(target.drawn.which), name: 'Group' }),
  'machineGroup.delete': (target: Target) => ({ id: groupId(target.drawn.which) }),
  'settings.put': (target: Target) => ({ operatorMaxHours: [2, 8, 100][target.drawn.which % 3] }),
  'downtimeReason.delete': (target: Target) => ({ id: (target.drawn.which % 2) + 1 }),
  'demo.leave': (target: Target) => ({
    machineIds: target.drawn.which % 10 === 0 ? [machineOf(target)] : [],
    machineGroupIds: [groupId(0), groupId(1)],
    scheduleIds: [],
    operatorIds: operators.slice(1),
    downtimeReasons: ['Tool'],
    partAdjustmentTypes: [],
  }),
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the object
const names = Object.keys(commands) as readonly (keyof typeof commands)[]
export const randomHistory: fc.Arbitrary<readonly Drawn[]> = fc.array(
  fc.record({
    what: fc.constantFrom(...names),
    which: fc.nat(20),
    at: fc.integer({ min: 0, max: 60 }),
    to: fc.integer({ min: 1, max: 12 }),
    isRecent: fc.boolean(),
    wait: fc.constantFrom(0, 0, 1, 4),
  }),
  { minLength: 10, maxLength: 60 },
)

/** Applies random commands; calls `check` after each. */
export function play(
  drawn: readonly Drawn[],
  check: (plant: Plant, entry: ReturnType<Plant['do']>, command: ReturnType<Plant['command']>) => void,
): Plant {
  const plant = new Plant()
  for (const name of ['Tool', 'Other']) plant.result('downtimeReason.put', { name })
  for (const id of operators) plant.result('operator.put', { id, name: id })
  const machineIds = [1, 2].map(number => plant.machine({ erpMachineId: `M${number}` }))
  for (const one of drawn) {
    plant.nowMs += one.wait * hourMs
    const nowHour = (plant.nowMs - Date.parse(hour(0))) / hourMs
    const start = one.isRecent ? Math.max(0, nowHour - (one.at % 6)) : one.at
    const target = { plant, machineIds, drawn: one, from: hour(start), to: one.to > 10 ? null : hour(start + one.to) }
    const command = plant.command(one.what, commands[one.what](target))
    check(plant, plant.fold(command), command)
  }
  return plant
}
