import type { MachineCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'

/** A rule whose condition the documents of a machine decide. */
export type DocumentRule = AlertRuleRecord & { readonly condition: Exclude<MachineCondition, { silent: true }> }

/** Whether the documents of machines decide an enabled rule. */
export function isDocumentRule(rule: AlertRuleRecord): rule is DocumentRule {
  const { condition } = rule
  return rule.enabled && ('stop' in condition || 'status' in condition || 'alarm' in condition)
}

/** Whether a rule applies to a machine; one without any id applies to all of the company. */
export function appliesToMachine(
  { subject }: Pick<AlertRuleRecord, 'subject'>,
  { id, machineGroupIds }: Pick<MachineRecord, 'id' | 'machineGroupIds'>,
): boolean {
  if (subject.machineIds.length === 0 && subject.machineGroupIds.length === 0) return true
  return subject.machineIds.includes(id) || machineGroupIds.some(group => subject.machineGroupIds.includes(group))
}
