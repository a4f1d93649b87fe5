import {
  isMachineCondition,
  type MachineCondition,
  type SilentCondition,
} from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'

/** A rule that is evaluated for machines. */
export type MachineRule = AlertRuleRecord & { readonly condition: MachineCondition }

/** Whether an enabled rule is evaluated for machines. */
export function isMachineRule(rule: AlertRuleRecord): rule is MachineRule {
  return rule.enabled && isMachineCondition(rule.condition)
}

/** Whether an enabled rule is on silence. */
export function isSilenceRule(
  rule: AlertRuleRecord,
): rule is AlertRuleRecord & { readonly condition: SilentCondition } {
  return rule.enabled && 'silent' in rule.condition
}
