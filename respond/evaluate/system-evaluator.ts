import type { Logger } from 'pino'
import type { Calendar } from '../../processors/calendar/types.ts'
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import type { IncidentChangeInput } from '../../schema/commands/incident-commands.ts'
import { limitOf, type SystemCheck, systemChecks, type SystemCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { CompanyRecord, CompanySettings } from '../../schema/records/company.ts'
import { type IncidentRecord, maxUnresolved } from '../../schema/records/incident.ts'
import { Backoff } from './backoff.ts'
import { endOthers } from './evaluate-machine.ts'
import { evaluateCurrentState } from './evaluate-current-state.ts'
import { CurrentHolds } from './current-holds.ts'
import { currentStatePartition, submitCurrentChanges } from './submit-current-changes.ts'

/** Value of a check: in the unit of its limit, or 1 while something is unavailable, otherwise 0. */
export interface SystemReading {
  readonly value: number
  /** Whether the value may be greater: too little is known since the start. */
  readonly isLowerBound: boolean
}

/** Values of the checks; a check is missing while its value is unknown. */
export type SystemReadings = Readonly<Partial<Record<SystemCheck, SystemReading>>>

export interface SystemEvaluatorDeps {
  readonly records: Records
  readonly commands: Pick<CommandClient, 'submit'>
  /** The fences of the partitions that this process owns. */
  readonly fences: () => ReadonlyMap<number, number>
  readonly read: () => Promise<SystemReadings>
  readonly calendarOf: (settings: CompanySettings, schedule: null) => Pick<Calendar, 'bucketsOf'>
  readonly clock: () => number
  readonly logger: Logger
}

type SystemRule = AlertRuleRecord & { readonly condition: SystemCondition }

/** Rules and incidents of the company that was created first. */
interface SystemRules {
  readonly company: CompanyRecord
  readonly fence: number
  readonly rules: readonly SystemRule[]
  readonly incidents: readonly IncidentRecord[]
}

/**
 * Evaluates the alert rules on the system, which only the company that was created first may have, while this process owns partition 0.
 * Changes are submitted one set at a time, while the checks continue: an outage during which no command succeeds is
 * recorded after its end.
 */
export class SystemEvaluator {
  readonly #deps: SystemEvaluatorDeps
  readonly #holds = new CurrentHolds()
  readonly #failures = new Backoff()
  #submitting: Promise<void> | null = null

  constructor(deps: SystemEvaluatorDeps) {
    this.#deps = deps
  }

  /** Checks the system, and begins to submit changes. Do not call it again before it has resolved. */
  async tick(): Promise<void> {
    const found = this.#findRules()
    if (found === null) return this.#holds.keep(new Set())
    const readings = await this.#deps.read()
    const clockMs = this.#deps.clock()
    for (const rule of found.rules) this.#observe(rule, readings, clockMs)
    this.#holds.keep(new Set(found.rules.map(keyOf)))
    if (this.#submitting !== null || !this.#failures.isOver(clockMs)) return
    this.#submitting = this.#submit(found, readings, clockMs).finally(() => (this.#submitting = null))
  }

  /** Resolves when no submission is in progress. */
  async settled(): Promise<void> {
    await this.#submitting
  }

  /** Returns what to check; null: nothing, or another process does. */
  #findRules(): SystemRules | null {
    const { fences, records } = this.#deps
    const fence = fences().get(currentStatePartition)
    const company = records.firstCompany()
    if (fence === undefined || company === null) return null
    const rules = records.list('alertRule', company.id).filter(isSystemRule)
    const incidents = records.incidents.ofType(company.id, 'system')
    return rules.length === 0 && incidents.length === 0 ? null : { company, fence, rules, incidents }
  }

  #observe(rule: SystemRule, readings: SystemReadings, clockMs: number): void {
    const reading = readings[rule.condition.system]
    if (reading === undefined) return
    const holds = reading.value > (limitOf(rule.condition) ?? 0)
    if (holds || !reading.isLowerBound) this.#holds.observe(keyOf(rule), { holds, sinceMs: clockMs }, clockMs)
  }

  async #submit(found: SystemRules, readings: SystemReadings, clockMs: number): Promise<void> {
    const { commands, clock, logger } = this.#deps
    try {
      const changes = systemChecks.flatMap(check => this.#changesOf(check, found, readings, clockMs))
      const isRefused = await submitCurrentChanges(commands, found.company.id, found.fence, changes)
      if (isRefused) this.#failures.failed(clock())
      else this.#failures.succeeded()
    } catch (error) {
      this.#failures.failed(clock())
      logger.warn({ err: error }, 'Failed to evaluate alert rules on the system')
    }
  }

  #changesOf(
    check: SystemCheck,
    { company, rules: all, incidents: ofSystem }: SystemRules,
    readings: SystemReadings,
    clockMs: number,
  ): readonly IncidentChangeInput[] {
    const { records, calendarOf } = this.#deps
    const rules = all.filter(({ condition }) => condition.system === check)
    const incidents = ofSystem.filter(({ subject }) => subject.id === check)
    const shared = {
      subject: { type: 'system', id: check, name: 'Takt' } as const,
      isEnabled: true,
      detail: { check, value: limitOf({ system: check }) === null ? null : (readings[check]?.value ?? null) },
      calendar: calendarOf(company.settings, null),
      mayOpen: records.incidents.unresolvedCount(company.id) < maxUnresolved,
      settledFromMs: records.settledFromMs,
      clockMs,
    }
    const ofRules = rules.flatMap(rule =>
      evaluateCurrentState({
        ...shared,
        rules: [rule],
        incidents: incidents.filter(({ ruleId }) => ruleId === rule.id),
        observed: this.#holds.of(keyOf(rule)),
      }),
    )
    return [...endOthers({ rules, incidents, clockMs }).changes, ...ofRules]
  }
}

/** The holds of a rule depend on its limit. */
function keyOf({ id, condition }: SystemRule): string {
  return JSON.stringify([id, condition.system, limitOf(condition)])
}

function isSystemRule(rule: AlertRuleRecord): rule is SystemRule {
  return rule.enabled && 'system' in rule.condition
}
