import type { MachineCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'

/** A rule whose condition the documents of a machine decide. */
export type DocumentRule = AlertRuleRecord & { readonly condition: Exclude<MachineCondition, { silent: true }> }

/** Whether the documents of machines decide an enabled rule. */
export function isDocumentRule(rule: AlertRuleRecord): rule is DocumentRule {
  const { condition } = rule
  return rule.enabled && ('stop' in condition || 'status' in condition || 'alarm' in condition)
}
