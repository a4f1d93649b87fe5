import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { formulaText } from '../../schema/formula-text.ts'
import { metricTextsDe, sumTextsDe } from '../../schema/metrics.de.ts'
import { metrics } from '../../schema/metrics.ts'
import { eventMetrics } from '../../schema/event-metrics.ts'
import { sumMeanings } from '../../schema/sums.ts'

/** Returns the rows of the tables under a heading of a guide. */
function rowsIn(text: string, heading: string, end?: string): readonly (readonly string[])[] {
  return text
    .slice(text.indexOf(`\n${heading}\n`), end === undefined ? text.length : text.indexOf(`\n${end}\n`))
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => line.split('|').slice(1, -1))
    .map(cells => cells.map(cell => cell.trim()))
}

describe('docs/metrics.md', () => {
  const text = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
  const rowsUnder = (heading: string, end?: string) => rowsIn(text, heading, end)

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

describe('docs/metrics.de.md', () => {
  const text = readFileSync(new URL('../../docs/metrics.de.md', import.meta.url), 'utf8')
  const units = {
    ms: 'ms',
    parts: 'Teile',
    'parts/h': 'Teile/h',
    'ms/part': 'ms/Teil',
    ratio: 'Anteil',
    instant: 'Zeitpunkt',
  }

  it('docs/metrics.de.md lists the production metrics with the German names and meanings of the application', () => {
    const texts = new Map(Object.entries(metricTextsDe))
    const expected = Object.entries(metrics).map(([name, { unit, formula }]) => {
      const text = texts.get(name)
      return [`\`${name}\``, units[unit], `${text?.title}: ${text?.meaning}`, `\`${formulaText(formula)}\``]
    })
    expect(rowsIn(text, '## Produktion', '### Summen')).to.deep.equal(expected)
  })

  it('docs/metrics.de.md explains the sums with the German texts of the application', () => {
    const expected = Object.entries(sumTextsDe).map(([name, meaning]) => [`\`${name}\``, meaning])
    expect(rowsIn(text, '### Summen', '## Stillstände, Qualität, Alarme, Vorfälle')).to.deep.equal(expected)
  })
})
