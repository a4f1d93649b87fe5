import type { AlertRuleRecord } from '../../../schema/records/alert-rule.ts'
import type { CompanyContext } from '../deciding/command.ts'
import { type ReferringRecords, referringRecords } from '../deciding/command-rejection.ts'

/** Kinds of records that an alert rule may name. */
type NamedKind = 'machineGroup' | 'connector' | 'downtimeReason' | 'alertTarget'

const idsOf: Readonly<Record<NamedKind, (rule: AlertRuleRecord) => readonly (string | number)[]>> = {
  machineGroup: ({ subject }) => subject.machineGroupIds,
  connector: ({ subject }) => subject.connectorIds,
  downtimeReason: ({ condition }) => ('stop' in condition ? condition.stop.reasons : []),
  alertTarget: ({ steps }) => steps.flatMap(({ targets }) => targets),
}

/** Returns the alert rules that name a record, which must therefore stay. */
export function rulesThatName(
  kind: NamedKind,
  id: string | number,
  { records, company }: CompanyContext,
): ReferringRecords {
  const rules = records.list('alertRule', company.id).filter(rule => idsOf[kind](rule).includes(id))
  return referringRecords('alert rule', rules, ({ name }) => name)
}
