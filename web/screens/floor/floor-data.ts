import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import type { MetricName } from '../../../schema/metrics.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { StatusUpdate } from '../../../schema/requests/live.ts'
import { followIncidents } from '../../data/incidents.ts'
import { openChannel } from '../../data/live-channel.ts'
import { byNaturalOrder } from '../../data/natural-order.ts'
import { poll } from '../../data/poll.ts'
import { filterBy, type MetricSelection } from '../../data/production.ts'
import { ruleOf } from '../../reports/period-picker.tsx'
import { type Period, rangeOf } from '../../time/period.ts'
import { hasScope, type Viewer } from '../../data/viewer.ts'
import { shopDate } from '../../time/shop-date.ts'
import type { Activity, FloorMachine, OpenStop, StatusNow } from './floor-machine.ts'
import { readOpenStops } from './open-stops.ts'
import { isScheduled } from './scheduled.ts'

/** State of the floor at a moment. */
export interface FloorState {
  /** null: not loaded yet. */
  readonly machines: readonly FloorMachine[] | null
  /** Metrics of the company in the period; null if they are unknown or too old to show. */
  readonly today: MetricSelection | null
  /** Start of the period (ISO 8601) of the metrics; null: not loaded yet. */
  readonly sinceAt: string | null
  readonly date: string
  readonly isLive: boolean
  /** Failure of a request that keeps failing; null: no failure. */
  readonly error: unknown
}

const metrics = [
  'oee',
  'oeeWarningThreshold',
  'oeeFailureThreshold',
  'availability',
  'performance',
  'quality',
  'goodParts',
  'rejectedParts',
  'downtime',
  'partsGoal',
  'partsGoalWarningThreshold',
  'partsGoalFailureThreshold',
] as const satisfies readonly MetricName[]
/** Further metrics of a shift, which the wall screen compares with its target. */
const shiftMetrics = [
  ...metrics,
  'scheduledTotalParts',
  'scheduledRejectedParts',
  'scheduledGoalParts',
  'scheduledExpectedParts',
] as const satisfies readonly MetricName[]

const liveListMs = 30_000
const polledListMs = 2_000
const longListMs = 5_000
const longList = 1_000
const todayMs = 15_000
const activityMs = 15_000
const stopsMs = 10_000
/** Figures that are older may be wrong: none are better. */
const freshMs = 120_000
/** Changes are shown together, this often. */
const drawMs = 120

/** Range of the metrics, and machines of a floor. */
interface FloorPart {
  readonly period: Extract<Period, 'today' | 'shift'>
  /** Only machines of this group; null: all. */
  readonly groupId: string | null
}

/** Follows the floor over one connection, and publishes changes a few times a second at most. */
export function followFloor(
  viewer: Viewer,
  { period, groupId }: FloorPart,
  onChange: (state: FloorState) => void,
): () => void {
  const { client } = viewer
  const statuses = new Map<string, StatusNow>()
  let list: readonly MachineListItem[] | null = null
  let figures = new Map<string, MetricSelection>()
  let activities: ReadonlyMap<string, Activity> | null = null
  let incidents: ReadonlyMap<string, IncidentItem> = new Map()
  let today: MetricSelection | null = null
  let todayReadMs = -Infinity
  let sinceAt: string | null = null
  let stops: ReadonlyMap<string, OpenStop> | null = null
  let shown: ReadonlyMap<string, FloorMachine> = new Map()
  const rule = ruleOf(viewer)
  const ofGroup = filterBy({ machineGroup: groupId === null ? [] : [groupId] })
  let date = shopDate(client.now(), rule)
  let isLive = false
  const failures = new Map<string, unknown>()
  let timer: ReturnType<typeof setTimeout> | null = null
  let isOver = false

  const draw = () => {
    timer = null
    if (isOver) return
    dropOldFigures()
    const [error = null] = failures.values()
    const machines = list?.map(machineOf) ?? null
    if (machines !== null) shown = new Map(machines.map(each => [each.machine.id, each]))
    onChange({ machines, today, sinceAt, date, isLive, error })
  }
  const dropOldFigures = () => {
    if (today === null || performance.now() - todayReadMs <= freshMs) return
    today = null
    figures = new Map()
  }
  const drawNow = () => {
    if (timer !== null) clearTimeout(timer)
    draw()
  }
  const changed = () => {
    timer ??= setTimeout(draw, drawMs)
  }
  const machineOf = (machine: MachineListItem): FloorMachine => {
    const before = shown.get(machine.id)
    const known = statuses.get(machine.id)
    const now = known ?? (before?.now.status === machine.status ? before.now : unknownSince(machine))
    // The machine may have started again since the stops were read.
    const stop = now.status === 'ACTIVE' ? null : (stops?.get(machine.id) ?? null)
    const each: FloorMachine = {
      machine,
      now,
      stop,
      isScheduled: stops === null || isScheduled({ now, stop }, client.now()),
      figures: figures.get(machine.id) ?? null,
      activity: activities === null ? null : (activities.get(machine.id) ?? nothingGoesOn),
      incident: incidents.get(machine.id) ?? null,
    }
    // A machine without changes keeps its object, so that its tile is not drawn again.
    return before && isSame(before, each) ? before : each
  }
  const ended = (what: string) => (failure: unknown) => {
    if (failure === null) failures.delete(what)
    else failures.set(what, failure)
    changed()
  }
  const channel = openChannel<StatusUpdate>({
    client,
    channel: 'status',
    onUpdate({ machineId, status, timestamp, message = null }) {
      statuses.set(machineId, { status, sinceMs: Date.parse(timestamp), message })
      changed()
    },
    onJoined(joined) {
      isLive = joined
      changed()
    },
  })
  const listMs = () => {
    if (isLive) return liveListMs
    return (list?.length ?? 0) > longList ? longListMs : polledListMs
  }
  let onListed: () => void = () => undefined
  // Large requests would delay the tiles.
  const listed = new Promise<void>(resolve => (onListed = resolve))
  const stopList = poll(listMs, ended('list'), async () => {
    const isFirst = list === null
    list = (await client.call('GET /machines', { query: { machineGroupId: groupId } })).toSorted((a, b) =>
      byNaturalOrder(a.name, b.name),
    )
    channel.setMachines(list.map(({ id }) => id))
    onListed()
    if (!isLive) keepUp(statuses, list, client.now())
    if (isFirst) drawNow()
  })
  const stopToday = poll(
    () => todayMs,
    ended('today'),
    async () => {
      // The figures of a group are few.
      if (groupId === null) await listed
      const nowMs = client.now()
      const { range } = rangeOf({ period, from: '', to: '' }, rule, nowMs)
      const report = await client.call('POST /reports/production', {
        body: {
          ...range,
          data: period === 'shift' ? shiftMetrics : metrics,
          groupBy: ['machine'],
          filter: ofGroup,
          flatten: true,
        },
      })
      date = shopDate(nowMs, rule)
      sinceAt = report.range.start
      today = report.aggregate
      todayReadMs = performance.now()
      figures = new Map(report.items.map(item => [item.machineId ?? '', item]))
    },
  )
  const stopActivities = poll(
    () => activityMs,
    ended('activities'),
    async () => {
      await listed
      activities = activitiesOf(await client.graphql<OpenRuns>(openRuns, { machine: inGroup(groupId) }))
    },
  )
  const endStops = poll(
    () => stopsMs,
    ended('stops'),
    async () => {
      await listed
      stops = await readOpenStops(client, groupId === null ? null : (list ?? []).map(({ id }) => id))
    },
  )
  const stopIncidents = hasScope(viewer, 'incident.read')
    ? followIncidents(client, [], ({ incidents: all, error }) => {
        incidents = worstByMachine(all ?? [])
        ended('incidents')(error)
      }).stop
    : () => undefined
  return () => {
    isOver = true
    if (timer !== null) clearTimeout(timer)
    channel.close()
    stopList()
    endStops()
    stopToday()
    stopActivities()
    stopIncidents()
  }
}

/** Finds the first incident of each machine. */
function worstByMachine(incidents: readonly IncidentItem[]): ReadonlyMap<string, IncidentItem> {
  const ofMachines = incidents.filter(({ subject }) => subject.type === 'machine')
  return new Map(ofMachines.toReversed().map(each => [each.subject.id, each]))
}

/** Takes the statuses of the list, where no channel tells them; since when is known only of a change that was seen. */
function keepUp(statuses: Map<string, StatusNow>, list: readonly MachineListItem[], nowMs: number): void {
  for (const { id, status } of list) {
    const before = statuses.get(id)
    if (before?.status !== status) statuses.set(id, { status, sinceMs: before ? nowMs : null, message: null })
  }
}

function unknownSince({ status }: MachineListItem): StatusNow {
  return { status, sinceMs: null, message: null }
}

function isSame(a: FloorMachine, b: FloorMachine): boolean {
  return (
    a.machine === b.machine &&
    a.now === b.now &&
    a.figures === b.figures &&
    a.activity === b.activity &&
    a.stop === b.stop &&
    a.isScheduled === b.isScheduled &&
    a.incident === b.incident
  )
}

interface OfMachine {
  readonly machine: { readonly machineId: string }
}

interface OpenRuns {
  readonly activitySets: readonly (OfMachine & {
    readonly operation: { readonly jobName: string; readonly partName: string }
    readonly activities: readonly { readonly activityType: string }[]
  })[]
  readonly operatorRuns: readonly (OfMachine & { readonly operator: { readonly name: string } })[]
  readonly annotations: readonly (OfMachine & {
    readonly annotationType: { readonly name: string; readonly color: string }
  })[]
}

const openRuns = `query ($machine: MachineTP_bool_exp!) {
  activitySets(where: {closedAt: {_is_null: true}, machine: $machine}) {
    machine { machineId } operation { jobName partName } activities(where: {endAt: {_is_null: true}}) { activityType }
  }
  operatorRuns(where: {endAt: {_is_null: true}, machine: $machine}) { machine { machineId } operator { name } }
  annotations(where: {endAt: {_is_null: true}, machine: $machine}) { machine { machineId } annotationType { name color } }
}`

/** Condition of GraphQL for the machines of a group; null: all machines. */
function inGroup(groupId: string | null) {
  return groupId === null ? {} : { machineGroups: { machineGroupId: { _eq: groupId } } }
}

const nothingGoesOn: Activity = { job: null, part: null, isSetup: false, operators: [], reason: null }

function activitiesOf({ activitySets, operatorRuns, annotations }: OpenRuns): ReadonlyMap<string, Activity> {
  const byMachine = new Map<string, Activity>()
  const add = ({ machine: { machineId } }: OfMachine, change: (before: Activity) => Partial<Activity>) => {
    const before = byMachine.get(machineId) ?? nothingGoesOn
    byMachine.set(machineId, { ...before, ...change(before) })
  }
  for (const set of activitySets)
    add(set, () => ({
      job: set.operation.jobName,
      part: set.operation.partName === '' ? null : set.operation.partName,
      isSetup: set.activities.some(({ activityType }) => activityType === 'setup'),
    }))
  for (const run of operatorRuns) add(run, ({ operators }) => ({ operators: [...operators, run.operator.name] }))
  for (const each of annotations) add(each, () => ({ reason: each.annotationType }))
  return byMachine
}
