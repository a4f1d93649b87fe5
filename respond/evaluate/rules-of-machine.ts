import type { MachineCondition, SilentCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'

/** A rule on machines that an evaluation decides. */
export type MachineRule = AlertRuleRecord & { readonly condition: MachineCondition }
/** A rule whose condition the documents of a machine decide. */
export type DocumentRule = AlertRuleRecord & { readonly condition: Exclude<MachineCondition, SilentCondition> }

/** Whether the documents of machines decide an enabled rule. */
export function isDocumentRule(rule: AlertRuleRecord): rule is DocumentRule {
  const { condition } = rule
  return rule.enabled && ('stop' in condition || 'status' in condition || 'alarm' in condition)
}

/** Whether an enabled rule is on silence. */
export function isSilenceRule(
  rule: AlertRuleRecord,
): rule is AlertRuleRecord & { readonly condition: SilentCondition } {
  return rule.enabled && 'silent' in rule.condition
}

/** Whether evaluations decide an enabled rule on machines; calls open incidents without them. */
export function isMachineRule(rule: AlertRuleRecord): rule is MachineRule {
  return isDocumentRule(rule) || isSilenceRule(rule)
}
