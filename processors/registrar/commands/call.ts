import type { FieldError } from '../../../schema/errors.ts'
import type { AlertRuleRecord } from '../../../schema/records/alert-rule.ts'
import { appliesToMachine } from '../../../schema/records/alert-subject.ts'
import { settingsOf } from '../../../schema/records/company.ts'
import { type IncidentRecord, maxUnresolved } from '../../../schema/records/incident.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { createCalendar } from '../../calendar/calendar.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { createWhenTest } from '../../records/when-test.ts'
import { type CommandSpec, type CompanyContext, companyCommand, put } from '../deciding/command.ts'
import { CommandRejection, throwIfInvalid } from '../deciding/command-rejection.ts'
import { problem } from './connector-mapping.ts'
import { withComment } from './incident-actions.ts'
import { compareTexts } from '../../../shared/collections/compare-texts.ts'

/**
 * Opens an incident for a call at a machine. If the machine has an unresolved call of this kind, adds a comment to it.
 * Returns the record; 409 if the company has the maximum number of unresolved incidents.
 */
const open: CommandSpec = companyCommand('call.open', ({ machineId, kind, note, by }, context) => {
  const { company, records, now, freshId } = context
  const machine = records.get('machine', company.id, machineId)
  const callKind = settingsOf(company).callKinds.find(({ id }) => id === kind)
  throwIfInvalid([
    ...findMachineErrors(machine, machineId, now),
    ...(callKind ? [] : [problem('kind', `'${kind}' does not exist in the setting callKinds`)]),
  ])
  if (!machine || !callKind) throw new Error('Invariant: machine and kind exist')
  const before = findUnresolved(machine.id, kind, context)
  if (before)
    return put('incident', before.id, before, withComment(before, note === '' ? callKind.name : note, by, now))
  if (records.incidents.unresolvedCount(company.id) >= maxUnresolved)
    throw new CommandRejection(409, 'TooManyIncidents', `At most ${maxUnresolved} incidents may be unresolved`)
  const incident = toIncident(
    canonicalId(freshId()),
    { machine, kind, note },
    findRule(machine, kind, context),
    context,
  )
  return put('incident', incident.id, null, incident)
})

function findMachineErrors(machine: MachineRecord | null, id: string, now: string): readonly FieldError[] {
  if (!machine) return [problem('machineId', `'${id}' does not exist`)]
  const isOver = machine.decommissionedAt !== null && machine.decommissionedAt <= now
  return isOver ? [problem('machineId', `'${id}' is decommissioned`)] : []
}

function findUnresolved(
  machineId: string,
  kind: string,
  { company, records }: CompanyContext,
): IncidentRecord | undefined {
  return records.incidents
    .ofSubject(company.id, machineId)
    .find(({ state, detail }) => (state === 'open' || state === 'acknowledged') && detail.call?.kind === kind)
}

/** Returns the enabled rule that fits the call and has been active for longest; null: there is none. */
function findRule(machine: MachineRecord, kind: string, context: CompanyContext): AlertRuleRecord | null {
  const { company, records, nowMs } = context
  const calendar = createCalendar(company.settings, records.scheduleOf(machine))
  const isWithin = createWhenTest(machine, { records, company, calendar }, nowMs)
  const fitting = records
    .list('alertRule', company.id)
    .filter(
      ({ enabled, condition, subject, when }) =>
        enabled &&
        'call' in condition &&
        (condition.call.length === 0 || condition.call.includes(kind)) &&
        appliesToMachine(subject, machine) &&
        isWithin(when),
    )
  const [oldest = null] = fitting.toSorted(
    (a, b) => compareTexts(a.activeFrom, b.activeFrom) || compareTexts(a.id, b.id),
  )
  return oldest
}

interface Call {
  readonly machine: MachineRecord
  readonly kind: string
  readonly note: string
}

function toIncident(
  id: string,
  { machine, kind, note }: Call,
  rule: AlertRuleRecord | null,
  { company, now }: CompanyContext,
): IncidentRecord {
  return {
    id,
    companyId: company.id,
    ruleId: rule?.id ?? null,
    ruleName: rule?.name ?? null,
    kind: 'call',
    severity: rule?.severity ?? 'warning',
    subject: { type: 'machine', id: machine.id, name: machine.name },
    detail: { call: { kind, note } },
    state: 'open',
    startedAt: now,
    openedAt: now,
    endedAt: null,
    detectedAt: now,
    acknowledgedAt: null,
    acknowledgedBy: null,
    resolvedAt: null,
    resolvedBy: null,
    cause: null,
    assignedTo: null,
    mergedInto: null,
    reopened: 0,
    reopenedAt: null,
    notices: [],
    comments: [],
  }
}

export const callCommands = [open]
