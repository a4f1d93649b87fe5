/* oxlint-disable oxc/no-map-spread -- mostly the map of an arbitrary, not of an array */
import * as fc from 'fast-check'
import { anOperator, aMachineGroup } from './build.ts'
import {
  adjustmentTypesOf,
  arbitraryAdjustments,
  arbitraryAnnotations,
  arbitraryCompany,
  arbitraryMachines,
  arbitraryOperations,
  arbitraryRuns,
  arbitrarySchedules,
  arbitrarySignIns,
  maxRecords,
  reasonsOf,
} from './plant-records.ts'
import { arbitraryRequest, arbitraryRequestOf } from './plant-requests.ts'
import { arbitraryBursts, wireSamples } from './plant-samples.ts'
import { arbitraryInstant, arbitraryScene, uuid } from './plant-scene.ts'
import type { PlantOptions, Scene } from './plant-scene.ts'
import type { OraclePlant, OracleRequest, ReportKind } from './types.ts'

export type { PlantOptions } from './plant-scene.ts'

/** A plant with one request: the input of the oracle. */
export type PlantCase = OraclePlant & { readonly request: OracleRequest }

/** Random plants of a few days around a clock change, each with several requests: for any report, or only for the given ones. */
export function arbitraryPlantWithRequests(
  options: PlantOptions = {},
  count = 3,
  reports: readonly ReportKind[] = [],
): fc.Arbitrary<{ readonly plant: OraclePlant; readonly requests: readonly OracleRequest[] }> {
  return arbitraryScene(options).chain(scene =>
    fc.record({
      plant: arbitraryPlantOf(scene),
      requests: fc.array(
        reports.length === 0
          ? arbitraryRequest(scene)
          : fc.constantFrom(...reports).chain(report => arbitraryRequestOf(report, scene)),
        { minLength: count, maxLength: count },
      ),
    }),
  )
}

/** Random plants of a few days around a clock change, each with one request. */
export function arbitraryCase(options: PlantOptions = {}): fc.Arbitrary<PlantCase> {
  return arbitraryScene(options).chain(scene =>
    fc
      .record({ plant: arbitraryPlantOf(scene), request: arbitraryRequest(scene) })
      .map(({ plant, request }) => ({ ...plant, request })),
  )
}

/** Random plants of a few days around a clock change. */
export function arbitraryPlant(options: PlantOptions = {}): fc.Arbitrary<OraclePlant> {
  return arbitraryScene(options).chain(arbitraryPlantOf)
}

const dayMs = 86_400_000

function arbitraryPlantOf(scene: Scene): fc.Arbitrary<OraclePlant> {
  const { options, window } = scene
  const ownNow = fc.oneof(
    { weight: 2, arbitrary: fc.constant(window.endMs + 3 * dayMs) },
    { weight: 1, arbitrary: arbitraryInstant(scene).map(it => Math.max(it, window.startMs + 3_600_000)) },
  )
  return fc
    .record({
      company: arbitraryCompany(scene),
      machines: arbitraryMachines(scene, options.nowMs ?? window.startMs + 7_200_000),
      schedules: arbitrarySchedules(scene),
      operations: arbitraryOperations(scene),
      runs: arbitraryRuns(scene),
      operatorRuns: arbitrarySignIns(scene),
      annotations: arbitraryAnnotations(scene),
      adjustments: arbitraryAdjustments(scene),
      bursts: arbitraryBursts(scene),
      nowMs: options.nowMs === undefined ? ownNow : fc.constant(options.nowMs),
    })
    .map(drawn => {
      const { company, machines, schedules, operations, nowMs } = drawn
      const machineIds = machines.map(it => it.id)
      const mayMove = (id: string) => machines.find(it => it.id === id)?.staleAfterMs === null
      const named = (length: number) => Array.from({ length }, (_, index) => index)
      return {
        company,
        machines,
        schedules,
        operations,
        runs: drawn.runs(machineIds),
        operators: named(maxRecords.operators).map(it => ({
          ...anOperator(['ann', 'Bob', 'ann'][it] ?? ''),
          id: uuid('operator', it, scene),
          ref: it + 1,
        })),
        operatorRuns: drawn.operatorRuns(machineIds),
        annotations: drawn.annotations(machineIds),
        reasons: reasonsOf(scene),
        adjustments: drawn.adjustments(machineIds),
        adjustmentTypes: adjustmentTypesOf(scene),
        groups: named(maxRecords.groups).map(it =>
          aMachineGroup({ id: uuid('group', it, scene), ref: it + 1, name: ['Mills', 'Turns', 'Mills'][it] ?? '' }),
        ),
        samples: wireSamples(drawn.bursts, machineIds, mayMove),
        nowMs,
      }
    })
}
