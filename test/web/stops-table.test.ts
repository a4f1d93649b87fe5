import { assert } from 'chai'
import { read, utils } from 'xlsx'
import type { DowntimeRecordResponse } from '../../schema/requests/downtime-records.ts'
import { nextQuery } from '../../web/data/next-query.ts'
import { csvOf } from '../../web/data/csv.ts'
import { workbookOf } from '../../web/data/workbook.ts'
import { stopsSheet, stopsTable } from '../../web/screens/downtime/stops-table.ts'
import { de } from '../../web/texts/de.ts'
import { en } from '../../web/texts/en.ts'
import { createFormat } from '../../web/texts/format.ts'

const machineId = 'a0000000-0000-4000-8000-000000000001'
const stop: DowntimeRecordResponse = {
  id: `${machineId}_1773133200000`,
  machineId,
  startAt: '2026-03-10T09:00:00.000Z',
  endAt: null,
  durationMs: 5_400_000,
  inRangeMs: 5_430_000,
  reasonId: 'uncategorized',
  reason: 'Uncategorized',
  reasonColor: null,
  annotationId: null,
  note: '=1+1; "x"',
}
const given = {
  stops: [stop],
  microstops: [{ machineId, microstopMs: 120_000, recordCount: 34, inRangeMs: 1_200_000 }],
  nameOf: () => 'Lathe, 1',
}

describe('the file of stops', () => {
  it('A file in English has commas, decimal points and no formula', () => {
    const format = createFormat('en-US', 'Europe/Berlin')
    assert.equal(
      csvOf(stopsTable(given, { t: en, format }), format.decimalMark),
      [
        'Machine,Start,End,Duration (min),Number of stops,Reason,Note',
        `"Lathe, 1",2026-03-10 10:00:00,Ongoing,90.5,1,Uncategorized,"'=1+1; ""x"""`,
        '"Lathe, 1",,,20,34,,"34 microstops, each shorter than 2 min"',
        '',
      ].join('\r\n'),
    )
  })

  it('A file in German has semicolons and decimal commas', () => {
    const format = createFormat('de-DE', 'Europe/Berlin')
    const [head, row] = csvOf(stopsTable(given, { t: de, format }), format.decimalMark).split('\r\n')
    assert.equal(head, 'Maschine;Beginn;Ende;Dauer (min);Anzahl Stillstände;Grund;Notiz')
    assert.include(row, ';90,5;1;')
  })

  it('A workbook has times and numbers of the same table, and texts without a formula', () => {
    const format = createFormat('en-US', 'Europe/Berlin')
    const sheet = stopsSheet(stopsTable(given, { t: en, format }), en)
    const { Stops = {} } = read(workbookOf(sheet), { cellFormula: true, cellNF: true }).Sheets
    assert.deepEqual(utils.sheet_to_json(Stops, { header: 1, raw: false, defval: null }), [
      ['Machine', 'Start', 'End', 'Duration (min)', 'Number of stops', 'Reason', 'Note'],
      ['Lathe, 1', '2026-03-10 10:00:00', 'Ongoing', '90.50', '1', 'Uncategorized', '=1+1; "x"'],
      ['Lathe, 1', null, null, '20.00', '34', null, '34 microstops, each shorter than 2 min'],
    ])
    assert.include(Stops['B2'], { t: 'n' })
    assert.include(Stops['G2'], { t: 's', v: '=1+1; "x"' })
  })

  it('The next page has the query of the header Link, with repeated values', () => {
    const link = '</downtime-records?machineId=a&machineId=b&after=start-ASC.0.5.1>; rel="next"'
    assert.deepEqual(nextQuery(link), { machineId: ['a', 'b'], after: ['start-ASC.0.5.1'] })
    assert.isNull(nextQuery(null))
    assert.isNull(nextQuery('</x>; rel="prev"'))
  })
})
