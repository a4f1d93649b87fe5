import { exampleIds } from '../../schema/example-ids.ts'
import {
  machineMetrics,
  machineTimeline,
  metricValues,
  metricValuesQuery,
  timelineQuery,
} from '../../schema/requests/machine-timeline.ts'
import { machineStates, machineStatesInput, stateLimits } from '../../schema/requests/machine-states.ts'
import { anyOf } from '../auth/scopes.ts'
import { pathId } from '../commands/submit.ts'
import { jsonBody, route } from '../http/route.ts'
import type { LookUpPort, StorePort } from '../ports/ports.ts'
import type { PlantReader } from '../reports/plant-reader.ts'
import { lookUpRecord } from './record-routes.ts'

interface PlantPort extends LookUpPort, StorePort {
  readonly plant: PlantReader
}

const scope = anyOf('machine.read', 'reporting')
const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }

const getTimeline = route('GET /machines/:id/timeline', 'getMachineTimeline', {
  example: { id: exampleIds.machine, ...range },
  summary: 'The timeline of a machine: states, shifts, jobs, operators, downtime and alarms of a range',
  description:
    'Returns every change if the range has few of them. Otherwise the range is divided into steps, and each step has an element for each value, with its ' +
    'share of the time.',
  // The response contains jobs and operators, as reports do.
  scope: anyOf('reporting'),
  query: timelineQuery,
  output: machineTimeline,
  handle: async ({ caller, params, query, signal }, deps: PlantPort) =>
    deps.plant.timeline(await lookUpRecord(deps, caller(), 'machine', pathId(params)), query, { signal }),
})

const listStates = route('POST /machines/states', 'listMachineStates', {
  summary: 'The states of machines in steps of a range, such as of the last shift',
  description: `Divides a range of at most ${stateLimits.days} days into steps of equal length. The state of a step is the status of most of its time. Ids of other machines are ignored. Changes nothing.`,
  scope,
  body: jsonBody(machineStatesInput),
  output: machineStates,
  handle: ({ body, caller, signal }, { plant }: PlantPort) => plant.states(caller().company.id, body, { signal }),
})

const listMetrics = route('GET /machines/:id/metrics', 'listMachineMetrics', {
  example: { id: exampleIds.machine },
  summary: 'The metrics that a machine sends, with the latest value of each',
  scope,
  output: machineMetrics,
  handle: async ({ caller, params, signal }, deps: PlantPort) =>
    deps.plant.metrics(await lookUpRecord(deps, caller(), 'machine', pathId(params)), { signal }),
})

const getValues = route('GET /machines/:id/metric-values', 'listMetricValues', {
  example: { id: exampleIds.machine, key: 'spindle_speed', ...range },
  summary: 'Numeric values of a metric of a machine',
  description:
    'Returns the mean, minimum and maximum of the samples in each step. Samples that are not a number, or are beyond 1e300, are skipped. Samples other than ' +
    'state samples are retained for 180 days by default.',
  scope,
  query: metricValuesQuery,
  output: metricValues,
  handle: async ({ caller, params, query, signal }, deps: PlantPort) =>
    deps.plant.metricValues(await lookUpRecord(deps, caller(), 'machine', pathId(params)), query, { signal }),
})

export const machineStateRoutes = [listStates]
export const machineTimelineRoutes = [getTimeline, listMetrics, getValues]
