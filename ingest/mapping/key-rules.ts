import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import type { MappingRule } from '../../schema/records/connector.ts'
import { timestampText } from '../shdr/timestamps.ts'
import type { RawSample } from '../decode/fields.ts'
import { type CompiledRule, compileRule, readTime, readValues } from './compile-rule.ts'
import { isScalar, Problem } from './convert-value.ts'

/** The rules of a connector for samples that have a key: `from` is the key, `$` the value. */
export class KeyRules {
  readonly #byKey = new Map<string, CompiledRule[]>()

  constructor(rules: readonly MappingRule[]) {
    for (const [index, rule] of rules.entries()) {
      const key = cachedCanonicalName(rule.from)
      const compiled = compileRule(rule, index)
      const known = this.#byKey.get(key)
      if (known === undefined) this.#byKey.set(key, [compiled])
      else known.push(compiled)
    }
  }

  /** Whether a rule has the key. */
  has(key: string): boolean {
    return this.#byKey.has(cachedCanonicalName(key))
  }

  /**
   * Returns the sample of the first rule that matches; the fields that it does not name stay, and a sample without a rule
   * is returned as it is. A `Problem`: the rule gives no sample.
   */
  map(raw: RawSample): RawSample | Problem {
    const rule = this.#find(raw)
    if (rule === undefined) return raw
    const values = readValues(rule, raw.value, raw.value)
    if (values instanceof Problem) return values
    const us = rule.time === null ? null : readTime(rule, raw.value, raw.value)
    if (us instanceof Problem) return us
    const { key, type, subtype, category } = rule.rule
    return {
      ...raw,
      ...(key !== undefined && { key }),
      ...(type !== undefined && { type }),
      ...(subtype !== undefined && { subtype }),
      ...(category !== undefined && { category }),
      ...values.texts,
      ...(us !== null && { timestamp: timestampText(us) }),
      value: values.value,
    }
  }

  #find({ key, value }: RawSample): CompiledRule | undefined {
    if (typeof key !== 'string' && typeof key !== 'number') return undefined
    const rules = this.#byKey.get(cachedCanonicalName(String(key)))
    if (rules === undefined) return undefined
    const text = isScalar(value) ? String(value) : null
    return rules.find(({ rule: { equals } }) => equals === undefined || equals === text)
  }
}
