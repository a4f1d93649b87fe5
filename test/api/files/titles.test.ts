import { assert } from 'chai'
import { groupColumns, metricColumns, type FileColumn } from '../../../api/files/table.ts'
import { titleOf } from '../../../api/files/titles.ts'
import { instanceColumns } from '../../../api/reports/alarm-instances/alarm-instances.ts'
import { eventMetrics } from '../../../schema/event-metrics.ts'
import { absentNamesDe } from '../../../schema/groupings.de.ts'
import { groupings, type GroupingName } from '../../../schema/groupings.ts'
import { type MetricName, metrics } from '../../../schema/metrics.ts'

/** Titles that are the same word in English and German. */
const same: ReadonlySet<string> = new Set(['OEE', 'OOE', 'TEEP'])

describe('titles of columns in files', () => {
  it('Every column of a file has a German title', () => {
    const missing = allColumns()
      .filter(column => titleOf(column, 'de') === column.title && !same.has(column.title))
      .map(({ title }) => title)
    assert.deepEqual(missing, [])
  })

  it('Every absent group has a German name', () => {
    const absent = groupingNames.filter(name => groupings[name].absent !== null)
    assert.sameMembers(Object.keys(absentNamesDe), absent)
  })

  it('The German titles of a report differ from each other', () => {
    const titles = [...groupingColumns(), ...metricColumns(metricNames)].map(column => titleOf(column, 'de'))
    assert.sameMembers([...new Set(titles)], titles)
  })

  it('A value of the alarm report does not have the title of a production metric of the same name', () => {
    const column: FileColumn = { name: 'minStartTime', title: 'First active', kind: 'instant' }
    assert.equal(titleOf(column, 'de'), 'Zuerst aktiv')
    const [metric] = metricColumns(['minStartTime'])
    assert.equal(metric && titleOf(metric, 'de'), 'Erster Auftragsbeginn')
  })

  it('A column without a German title has its English one', () => {
    assert.equal(titleOf({ name: 'x', title: 'Spindle load', kind: 'number' }, 'de'), 'Spindle load')
  })
})

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the metrics, and no others
const metricNames = Object.keys(metrics) as MetricName[]

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the groupings, and no others
const groupingNames = Object.keys(groupings) as GroupingName[]

function groupingColumns(): readonly FileColumn[] {
  return groupingNames.flatMap(groupColumns)
}

function allColumns(): readonly FileColumn[] {
  const events = Object.values(eventMetrics).flatMap(report =>
    Object.entries(report).map(([name, { title }]): FileColumn => ({ name, title, kind: 'number' })),
  )
  return [...groupingColumns(), ...metricColumns(metricNames), ...events, ...instanceColumns]
}
