import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { formulaText } from '../../schema/formula-text.ts'
import { metrics } from '../../schema/metrics.ts'
import { eventMetrics } from '../../schema/event-metrics.ts'
import { sumMeanings } from '../../schema/sums.ts'

describe('docs/metrics.md', () => {
  const text = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
  /** Returns the rows of the tables under a heading. */
  const rowsUnder = (heading: string, end?: string) =>
    text
      .slice(text.indexOf(`\n${heading}\n`), end === undefined ? text.length : text.indexOf(`\n${end}\n`))
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.split('|').slice(1, -1))
      .map(cells => cells.map(cell => cell.trim()))

  it('docs/metrics.md lists the production metrics with their units, meanings and formulas', () => {
    const expected = Object.entries(metrics).map(([name, { unit, meaning, formula }]) => [
      `\`${name}\``,
      unit,
      meaning,
      `\`${formulaText(formula)}\``,
    ])
    expect(rowsUnder('## Production', '### Sums')).to.deep.equal(expected)
  })

  it('docs/metrics.md explains the sums of the formulas', () => {
    const expected = Object.entries(sumMeanings).map(([name, meaning]) => [`\`${name}\``, meaning])
    expect(rowsUnder('### Sums', '## Downtime, quality, alarm, incident')).to.deep.equal(expected)
  })

  it('docs/metrics.md lists the metrics of the other reports with their units and meanings', () => {
    const { downtime, quality, alarm, incident } = eventMetrics
    const expected = [downtime, quality, alarm, incident]
      .flatMap(values => Object.entries(values))
      .map(([name, { unit, meaning }]) => [`\`${name}\``, unit, meaning])
    expect(rowsUnder('## Downtime, quality, alarm, incident')).to.deep.equal(expected)
  })
})
