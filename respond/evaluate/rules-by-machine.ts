import type { Records } from '../../processors/records/records.ts'
import type { MachineCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import { appliesToMachine } from '../../schema/records/alert-subject.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { isMachineRule, type MachineRule } from './rules-of-machine.ts'

/** The enabled rules that apply to a machine. */
export interface RulesOfMachine {
  /** Equal conditions are one object. */
  readonly rules: readonly MachineRule[]
  readonly callRules: readonly AlertRuleRecord[]
}

interface RulesOfCompany {
  /** All rules of the company. */
  readonly all: readonly AlertRuleRecord[]
  readonly rules: readonly MachineRule[]
  readonly callRules: readonly AlertRuleRecord[]
  /** By record: a change of the machine creates another one. */
  readonly ofMachine: WeakMap<MachineRecord, RulesOfMachine>
}

/** Finds the rules that apply to machines, once for each machine until it or a rule of its company changes. */
export class RulesByMachine {
  readonly #records: Pick<Records, 'list'>
  readonly #companies = new Map<string, RulesOfCompany>()

  constructor(records: Pick<Records, 'list'>) {
    this.#records = records
  }

  /** Returns the function that finds the rules of a company's machine, as long as no rule of the company changes. */
  ofCompany(companyId: string): (machine: MachineRecord) => RulesOfMachine {
    const all = this.#records.list('alertRule', companyId)
    const known = this.#companies.get(companyId)
    const current = known && isSameList(known.all, all) ? known : rulesOfCompany(all)
    this.#companies.set(companyId, current)
    return machine => {
      const found = current.ofMachine.get(machine)
      if (found) return found
      const applying = {
        rules: current.rules.filter(({ subject }) => appliesToMachine(subject, machine)),
        callRules: current.callRules.filter(({ subject }) => appliesToMachine(subject, machine)),
      }
      current.ofMachine.set(machine, applying)
      return applying
    }
  }
}

function rulesOfCompany(all: readonly AlertRuleRecord[]): RulesOfCompany {
  const conditions = new Map<string, MachineCondition>()
  const rules = all.filter(isMachineRule).map(rule => {
    const condition = getOrCreate(conditions, JSON.stringify(rule.condition), () => rule.condition)
    return Object.assign({}, rule, { condition })
  })
  const callRules = all.filter(({ enabled, condition }) => enabled && 'call' in condition)
  return { all, rules, callRules, ofMachine: new WeakMap() }
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index])
}
