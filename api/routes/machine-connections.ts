import type { ConnectorHealth, ConnectorState } from '../../schema/connector-health.ts'
import { assignedMachines } from '../../schema/records/connector-machines.ts'
import type { ConnectorKind, ConnectorRecord } from '../../schema/records/connector.ts'
import type { ConnectionProblem, MachineConnection } from '../../schema/records/machine-connection.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import { findHealth, stateOf } from '../connectors/present-health.ts'
import type { ClockPort, ConnectorsPort, RecordsPort } from '../ports/ports.ts'

type Deps = ConnectorsPort & RecordsPort & ClockPort

/** Returns the connection of a machine with its status. */
export type ConnectionOf = (machine: MachineRecord, status: LiveStatus | null) => MachineConnection

interface Assigned {
  readonly connector: ConnectorRecord
  readonly health: ConnectorHealth | null
  readonly state: ConnectorState
  /** Skews of the clocks of its machines, ms. */
  readonly skews: ReadonlyMap<string, number | null>
}

const sources: Readonly<Record<ConnectorKind, string>> = {
  mtconnect: 'agent',
  shdr: 'adapter',
  mqtt: 'broker',
  http: 'sender',
}

/** Returns the connections of the machines of a company at the time of the call. */
export function connectionsOf(companyId: string, deps: Deps): ConnectionOf {
  const byMachine = connectorsByMachine(companyId, deps)
  const timeText = timeFormat(deps.records.company(companyId)?.settings.timeZone ?? 'UTC', deps.clock())
  return (machine, status) => {
    const assigned = byMachine.get(machine.id)
    if (assigned === undefined)
      return {
        connectorId: null,
        state: null,
        since: null,
        problem: 'no_connector',
        reason: 'no connector',
        skewMs: null,
      }
    const { connector, state, skews } = assigned
    const problem = findProblem(assigned, machine, status)
    const sinceMs = problem === 'no_adapter' ? (status?.sinceMs ?? null) : sinceOf(assigned)
    const reason = problem === null ? null : wordsFor(problem, connector.kind)
    const when = sinceMs === null || reason === null ? '' : ` since ${timeText(sinceMs)}`
    return {
      connectorId: connector.id,
      state,
      since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
      problem,
      reason: reason === null ? null : reason + when,
      skewMs: skews.get(machine.id) ?? null,
    }
  }
}

/** A rule may take machines from topics: these are known from their samples. */
function connectorsByMachine(companyId: string, deps: Deps): ReadonlyMap<string, Assigned> {
  const named = new Map<string, Assigned>()
  const heard = new Map<string, Assigned>()
  for (const connector of deps.records.list('connector', companyId)) {
    const health = findHealth(connector, deps)
    const skews = new Map(health?.lastSamples.map(([machineId, , skewMs]) => [machineId, skewMs]))
    const assigned = { connector, health, state: stateOf(connector, health, deps), skews }
    for (const [, machineId] of assignedMachines(connector)) named.set(machineId, assigned)
    for (const machineId of skews.keys()) heard.set(machineId, assigned)
  }
  return new Map([...heard, ...named])
}

function findProblem(
  { connector, health, state }: Assigned,
  { createdAt }: MachineRecord,
  status: LiveStatus | null,
): ConnectionProblem | null {
  if (state === 'connecting' || state === 'disconnected') return health === null ? 'no_process' : 'source_unavailable'
  if (state !== 'connected') return state
  if (status === null || (status.status === 'UNAVAILABLE' && status.sinceMs <= Date.parse(createdAt))) return 'no_state'
  // Samples that are posted have no source that would report the loss of a machine.
  return status.status === 'UNAVAILABLE' && connector.kind !== 'http' ? 'no_adapter' : null
}

function sinceOf({ health }: Assigned): number | null {
  return health === null ? null : (health.unavailableSinceMs ?? health.sinceMs)
}

function wordsFor(problem: ConnectionProblem, kind: ConnectorKind): string {
  const source = sources[kind]
  const words: Readonly<Record<ConnectionProblem, string>> = {
    no_connector: 'no connector',
    disabled: 'connector disabled',
    no_process: 'no process runs the connector',
    source_unavailable: `${source} unavailable`,
    rejected: `${source} denies access`,
    invalid: 'settings of the connector are invalid',
    secret_unavailable: 'password or key of the connector cannot be read',
    catching_up: `${source} sends older data first`,
    no_state: 'nothing has determined the state yet',
    no_adapter: kind === 'mtconnect' ? 'agent without adapter' : `${source} reports the machine as unavailable`,
  }
  return words[problem]
}

/** Returns a function that formats a time of the same local day as `10:04`, another one with its date. */
function timeFormat(timeZone: string, nowMs: number): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  const [today] = format.format(nowMs).split(' ')
  return ms => {
    const [day = '', time = ''] = format.format(ms).split(' ')
    return day === today ? time : `${day} ${time}`
  }
}
