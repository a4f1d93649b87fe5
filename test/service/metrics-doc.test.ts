import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { metrics } from '../../schema/metrics.ts'

describe('docs/metrics.md', () => {
  it('lists every metric with its unit and meaning', () => {
    const text = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
    const rows = text
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.split('|').map(cell => cell.trim()))
      .map(([, name, unit, meaning]) => ({ name, unit, meaning }))
    const expected = Object.entries(metrics).map(([name, { unit, meaning }]) => ({
      name: `\`${name}\``,
      unit,
      meaning,
    }))
    expect(rows).to.deep.equal(expected)
  })
})
