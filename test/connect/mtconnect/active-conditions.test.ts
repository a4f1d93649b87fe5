import { assert } from 'chai'
import * as fc from 'fast-check'
import { type ActiveCondition, ActiveConditions } from '../../../connect/mtconnect/active-conditions.ts'

/** The first condition of the worst level. */
function worst(conditions: readonly ActiveCondition[]): ActiveCondition | null {
  return conditions.find(({ level }) => level === 'FAULT') ?? conditions[0] ?? null
}

describe('active conditions', () => {
  it('The worst condition of each code is that of a list of all conditions', () => {
    const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const codes = ['1', '2', '']
    const raised = fc.record({ id: ids, code: fc.constantFrom(...codes), level: fc.constantFrom('WARNING', 'FAULT') })
    const step = fc.oneof({ weight: 5, arbitrary: raised }, { weight: 2, arbitrary: ids }, fc.constant(null))
    const check = fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const active = new ActiveConditions()
      let list: (readonly [string, ActiveCondition])[] = []
      for (const [index, one] of steps.entries()) {
        const id = typeof one === 'object' ? one?.id : one
        list = one === null ? [] : list.filter(([other]) => other !== id)
        if (one === null) active.clear()
        else if (typeof one === 'string') active.end(one)
        else {
          const { code, level } = one
          const condition = { code, level, nativeSeverity: '', qualifier: '', message: `${index}` }
          list.push([one.id, condition])
          active.raise(one.id, condition)
        }
        const all = list.map(([, condition]) => condition)
        const of = (code: string) => worst(all.filter(condition => condition.code === code))
        assert.deepEqual([...active], list)
        assert.equal(active.size, list.length)
        const texts = list.flatMap(([each, { code, message }]) => [each, code, message])
        assert.equal(active.textLength, texts.join('').length)
        for (const code of codes) assert.equal(active.worstOf(code), of(code))
        const found = [...new Set(all.map(({ code }) => code))].map(code => [code, of(code)] as const)
        assert.deepEqual([...active.worstByCode()], found)
        assert.deepEqual([...new ActiveConditions(active).worstByCode()], found)
      }
    })
    fc.assert(check, { numRuns: 500 })
  })
})
