import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { metrics } from '../../schema/metrics.ts'
import { recordValues } from '../../schema/record-values.ts'

describe('docs/metrics.md', () => {
  it('lists what every report can say, with its unit and meaning', () => {
    const text = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
    const rows = text
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.split('|').map(cell => cell.trim()))
      .map(([, name, unit, meaning]) => ({ name, unit, meaning }))
    const { downtime, quality, alarm } = recordValues
    const expected = [metrics, downtime, quality, alarm]
      .flatMap(values => Object.entries(values))
      .map(([name, { unit, meaning }]) => ({ name: `\`${name}\``, unit, meaning }))
    expect(rows).to.deep.equal(expected)
  })
})
