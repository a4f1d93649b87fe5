import { expect } from 'chai'
import { advance, type StoredKey } from '../../../connect/shdr/key-state.ts'
import { Position } from '../../../connect/positions/position.ts'
import { storedText } from '../../../connect/positions/stored-text.ts'

describe('texts of positions', () => {
  it('A text that exceeds a number of bytes as JSON is stored as its digest', () => {
    const texts = ['a'.repeat(62), 'é'.repeat(31), '\u0001'.repeat(10), '"'.repeat(31)]
    for (const text of texts) {
      expect(storedText(text, 64)).to.equal(text)
      expect(storedText(`${text}${text[0]}`, 64)).to.match(/^#.{44}$/)
    }
  })

  it('All codes of a condition of an SHDR adapter fit a record of the position', () => {
    const names = { machineId: 'mill', key: 'system', type: 'SYSTEM', subtype: '', category: 'CONDITION' as const }
    const times = { sourceUs: 0, atUs: 0, restateUs: null, isMarked: false }
    const state: StoredKey = { ...names, ...times, content: '', codes: [] }
    const device = { name: 'mill', uuid: null, make: null, model: null, items: new Map(), dataItems: [] }
    for (let code = 0; code < 2_000; code++) {
      const of = { device, key: 'system', item: undefined, category: 'CONDITION' as const, timestamp: '', atUs: code }
      const nativeCode = `${'\u0001'.repeat(59)}${String(code).padStart(5, '0')}`
      advance(state, { ...of, value: 'FAULT', nativeCode }, 1_790_000_000_000_000 + code)
    }
    const position = new Position('company/adapter')
    position.state.set('key/mill/system', state)
    expect(() => position.takeChanges()).not.to.throw()
  })
})
