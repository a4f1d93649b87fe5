import type { Logger } from 'pino'
import type { Calendar } from '../../processors/calendar/types.ts'
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import type { IncidentChangeInput } from '../../schema/commands/incident-commands.ts'
import type { ConnectorState } from '../../schema/connector-health.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import { appliesToConnector } from '../../schema/records/alert-subject.ts'
import type { CompanyRecord, CompanySettings } from '../../schema/records/company.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import { type IncidentRecord, maxUnresolved } from '../../schema/records/incident.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { Backoff } from './backoff.ts'
import { type CurrentStateInputs, evaluateCurrentState } from './evaluate-current-state.ts'
import { type CurrentHold, CurrentHolds } from './current-holds.ts'
import { currentStatePartition, submitCurrentChanges } from './submit-current-changes.ts'

/** State of an enabled connector. It holds while the source is not connected. */
export interface CurrentConnectorState extends CurrentHold {
  readonly state: ConnectorState
}

export interface ConnectorEvaluatorDeps {
  readonly records: Records
  readonly commands: Pick<CommandClient, 'submit'>
  /** The fences of the partitions that this process owns. */
  readonly fences: () => ReadonlyMap<number, number>
  /** Returns the state of an enabled connector; null: it is not known yet. */
  readonly stateOf: (company: CompanyRecord, connector: ConnectorRecord) => CurrentConnectorState | null
  readonly calendarOf: (settings: CompanySettings, schedule: null) => Pick<Calendar, 'bucketsOf'>
  readonly clock: () => number
  readonly logger: Logger
}

/** Inputs that the connectors of a company share. */
interface Batch extends Pick<CurrentStateInputs, 'calendar' | 'mayOpen' | 'settledFromMs' | 'clockMs'> {
  readonly company: CompanyRecord
  /** The enabled rules on connectors. */
  readonly rules: readonly AlertRuleRecord[]
  readonly incidents: ReadonlyMap<string, readonly IncidentRecord[]>
}

/**
 * Evaluates the alert rules on connectors, from their current states, while this process owns partition 0. After a
 * restart, an unresolved incident continues if its condition holds.
 */
export class ConnectorEvaluator {
  readonly #deps: ConnectorEvaluatorDeps
  readonly #holds = new CurrentHolds()
  /** Delays evaluations of companies whose commands fail or are refused. */
  readonly #failures = new Map<string, Backoff>()

  constructor(deps: ConnectorEvaluatorDeps) {
    this.#deps = deps
  }

  /** Evaluates all connectors. Do not call it again before it has resolved. */
  async tick(): Promise<void> {
    const { fences, records, commands, clock, logger } = this.#deps
    const fence = fences().get(currentStatePartition)
    const clockMs = clock()
    const observed = new Set<string>()
    for (const company of fence === undefined ? [] : records.companies())
      try {
        const changes = await this.#evaluate(company, clockMs, observed)
        if (this.#failures.get(company.id)?.isOver(clockMs) === false) continue
        const isRefused = await submitCurrentChanges(commands, company.id, fence ?? 0, changes)
        if (isRefused) this.#failed(company, clockMs)
        else this.#failures.delete(company.id)
      } catch (error) {
        this.#failed(company, clockMs)
        logger.warn({ err: error, companyId: company.id }, 'Failed to evaluate alert rules on connectors')
      }
    this.#holds.keep(observed)
  }

  #failed({ id }: CompanyRecord, clockMs: number): void {
    getOrCreate(this.#failures, id, () => new Backoff()).failed(clockMs)
  }

  /** Returns the changes of a company, and adds the connectors whose holds stay. */
  async #evaluate(
    company: CompanyRecord,
    clockMs: number,
    observed: Set<string>,
  ): Promise<readonly IncidentChangeInput[]> {
    const { records, calendarOf } = this.#deps
    const rules = records.list('alertRule', company.id).filter(isConnectorRule)
    const ofConnectors = records.incidents.ofType(company.id, 'connector')
    if (rules.length === 0 && ofConnectors.length === 0) return []
    const incidents = groupBy(ofConnectors, ({ subject }) => subject.id)
    const connectors = new Map(records.list('connector', company.id).map(each => [each.id, each]))
    // Holds stay although the evaluation of a connector fails.
    for (const { id, enabled } of connectors.values()) if (enabled) observed.add(keyOf(company, id))
    const calendar = calendarOf(company.settings, null)
    const mayOpen = records.incidents.unresolvedCount(company.id) < maxUnresolved
    const { settledFromMs } = records
    const batch: Batch = { company, rules, incidents, calendar, mayOpen, settledFromMs, clockMs }
    const changes: IncidentChangeInput[] = []
    const slice = new TimeSlice()
    for (const id of new Set([...connectors.keys(), ...incidents.keys()])) {
      if (slice.isOver) await slice.next()
      changes.push(...this.#evaluateOne(id, connectors.get(id), batch))
    }
    return changes
  }

  #evaluateOne(
    id: string,
    connector: ConnectorRecord | undefined,
    { company, rules, incidents: bySubject, ...shared }: Batch,
  ): readonly IncidentChangeInput[] {
    const incidents = bySubject.get(id) ?? []
    const isEnabled = connector?.enabled === true
    const current = isEnabled ? this.#deps.stateOf(company, connector) : null
    const key = keyOf(company, id)
    if (current) this.#holds.observe(key, current, shared.clockMs)
    const holds = this.#holds.of(key)
    // Most connectors are connected, and have no incident.
    if (incidents.length === 0 && (holds === null || holds.intervals.length === 0)) return []
    return evaluateCurrentState({
      ...shared,
      subject: { type: 'connector', id, name: connector?.name ?? id },
      rules: rules.filter(({ subject }) => appliesToConnector(subject, id)),
      incidents,
      isEnabled,
      observed: holds,
      detail: current ? { connectorState: current.state } : {},
    })
  }
}

function keyOf({ id }: CompanyRecord, connectorId: string): string {
  return JSON.stringify([id, connectorId])
}

function isConnectorRule({ enabled, condition }: AlertRuleRecord): boolean {
  return enabled && 'connector' in condition
}
