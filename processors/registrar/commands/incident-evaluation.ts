import { isDeepStrictEqual } from 'node:util'
import type { IncidentChangeInput, IncidentTimesInput } from '../../../schema/commands/incident-commands.ts'
import { kindOf } from '../../../schema/records/alert-condition.ts'
import { type AlertEvaluationRecord, maxGaps } from '../../../schema/records/alert-evaluation.ts'
import { type IncidentRecord, maxNotices, maxUnresolved } from '../../../schema/records/incident.ts'
import { type Change, changeBetween } from '../../../schema/records/record-kinds.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, type CompanyContext, companyCommand, installationCommand } from '../deciding/command.ts'
import { withEventNotices } from '../deciding/event-notices.ts'
import { partitionId, requireOwner } from '../deciding/partition-owner.ts'

/**
 * Applies the changes that an evaluation decided. A change is refused if the incident or the rule has changed since:
 * the next evaluation decides again. 409 if the partition has another owner.
 */
const evaluate: CommandSpec = companyCommand('incident.evaluate', ({ changes, ...owner }, context) => {
  requireOwner(owner, context)
  const batch = new Batch(context)
  const refused = changes.filter(change => !batch.apply(change)).map(({ id }) => canonicalId(id))
  return { changes: batch.changes, result: { refused } }
})

/** Stores how far a partition is evaluated, and its gaps. Returns the record; 409 if the partition has another owner. */
const putEvaluation: CommandSpec = installationCommand(
  'alertEvaluation.put',
  ({ evaluatedTo, gaps, ...owner }, context) => {
    requireOwner(owner, context)
    const id = partitionId(owner)
    const before = context.records.alertEvaluation(id)
    const isLater = before === null || evaluatedTo > before.evaluatedTo
    const after: AlertEvaluationRecord = {
      id,
      evaluatedTo: isLater ? evaluatedTo : before.evaluatedTo,
      gaps: [...(before?.gaps ?? []), ...gaps].slice(-maxGaps),
    }
    return { changes: [{ kind: 'alertEvaluation', id, before, after }], result: after }
  },
)

type ChangeOf<Type extends IncidentChangeInput['type']> = Extract<IncidentChangeInput, { readonly type: Type }>

/** The changes of one command, each of which sees those before it. */
class Batch {
  readonly #context: CompanyContext
  readonly #before = new Map<string, IncidentRecord | null>()
  readonly #after = new Map<string, IncidentRecord>()

  constructor(context: CompanyContext) {
    this.#context = context
  }

  get changes(): readonly Change[] {
    return [...this.#after].map(([id, after]) => changeBetween('incident', id, this.#before.get(id) ?? null, after))
  }

  /** Returns false if the change is refused. */
  apply(change: IncidentChangeInput): boolean {
    const after = change.type === 'open' ? this.#opened(change) : this.#changed(change)
    if (!after) return false
    this.#after.set(after.id, after)
    return true
  }

  #opened({ id, ruleId, activeFrom, subject, detail, times }: ChangeOf<'open'>): IncidentRecord | null {
    const { records, company, now } = this.#context
    const rule = records.get('alertRule', company.id, ruleId)
    if (!rule?.enabled || rule.activeFrom !== activeFrom || this.#current(id) !== null) return null
    const isOpen = times.endedAt === null
    if (isOpen && (this.#hasUnresolved(rule.id, subject.id) || this.#unresolvedCount() >= maxUnresolved)) return null
    this.#before.set(canonicalId(id), null)
    return {
      id: canonicalId(id),
      companyId: company.id,
      ruleId: rule.id,
      ruleName: rule.name,
      kind: kindOf(rule.condition),
      severity: rule.severity,
      subject,
      detail,
      state: isOpen ? 'open' : 'resolved',
      ...times,
      detectedAt: now,
      acknowledgedAt: null,
      acknowledgedBy: null,
      resolvedAt: times.endedAt,
      resolvedBy: null,
      cause: isOpen ? null : 'condition',
      assignedTo: null,
      mergedInto: null,
      reopenedAt: null,
      notices: [],
      comments: [],
    }
  }

  #changed(change: Exclude<IncidentChangeInput, ChangeOf<'open'>>): IncidentRecord | null {
    const before = this.#current(change.id)
    if (!before) return null
    const after = change.type === 'step' ? this.#stepped(before, change) : this.#updated(before, change)
    if (after && !this.#before.has(before.id)) this.#before.set(before.id, before)
    return after
  }

  #updated(
    before: IncidentRecord,
    change: Exclude<IncidentChangeInput, { readonly type: 'open' | 'step' }>,
  ): IncidentRecord | null {
    const { state, cause, startedAt, openedAt, endedAt, reopened } = before
    if (!isDeepStrictEqual(change.basis, { state, cause, startedAt, openedAt, endedAt, reopened })) return null
    switch (change.type) {
      case 'correct':
        return { ...before, ...change.times }
      case 'resume':
        return this.#resumed(before, change.times)
      case 'resolve': {
        const { times, resolvedAt, cause } = change
        const resolved = { ...before, ...times, state: 'resolved', resolvedAt, resolvedBy: null, cause } as const
        return withEventNotices(resolved, 'incident.resolved', this.#context.now)
      }
      case 'retract':
        return withEventNotices(
          { ...before, state: 'retracted', mergedInto: change.mergedInto },
          'incident.retracted',
          this.#context.now,
        )
    }
  }

  #resumed(before: IncidentRecord, times: IncidentTimesInput): IncidentRecord | null {
    if (this.#hasUnresolved(before.ruleId ?? '', before.subject.id)) return null
    return {
      ...before,
      ...times,
      state: before.acknowledgedAt === null ? 'open' : 'acknowledged',
      resolvedAt: null,
      resolvedBy: null,
      cause: null,
      reopenedAt: times.reopened > before.reopened ? this.#context.now : before.reopenedAt,
    }
  }

  /** A notice that exists is not repeated. */
  #stepped(before: IncidentRecord, { step, repeat }: ChangeOf<'step'>): IncidentRecord | null {
    const { records, company, now } = this.#context
    if (before.state !== 'open' && before.state !== 'acknowledged') return null
    const rule = before.ruleId === null ? null : records.get('alertRule', company.id, before.ruleId)
    const targets = rule?.enabled === true ? (rule.steps[step - 1]?.targets ?? []) : []
    const exists = (targetId: string) =>
      before.notices.some(each => each.step === step && each.repeat === repeat && each.targetId === targetId)
    const event = step === 1 ? ('incident.opened' as const) : ('incident.escalated' as const)
    const notices = [...new Set(targets)]
      .filter(targetId => !exists(targetId))
      .map(targetId => ({ event, step, repeat, at: now, targetId, deliveryId: null, isSummarized: false }))
    if (notices.length === 0 || before.notices.length + notices.length > maxNotices) return null
    return { ...before, notices: [...before.notices, ...notices] }
  }

  #current(id: string): IncidentRecord | null {
    const { records, company } = this.#context
    return this.#after.get(canonicalId(id)) ?? records.get('incident', company.id, id)
  }

  #hasUnresolved(ruleId: string, subjectId: string): boolean {
    const { records, company } = this.#context
    const stored = records.incidents
      .ofSubject(company.id, subjectId)
      .map(({ id }) => this.#after.get(id) ?? records.get('incident', company.id, id))
    return [...stored, ...this.#after.values()].some(
      incident =>
        incident?.ruleId === ruleId &&
        incident.subject.id === subjectId &&
        (incident.state === 'open' || incident.state === 'acknowledged'),
    )
  }

  /** Approximate within a command: the incidents that it opens count, those that it resolves are not subtracted. */
  #unresolvedCount(): number {
    const { records, company } = this.#context
    const opened = [...this.#before.values()].filter(before => before === null).length
    return records.incidents.unresolvedCount(company.id) + opened
  }
}

export const incidentEvaluationCommands = [evaluate, putEvaluation]
