import { useState } from 'preact/hooks'
import { csvOf } from '../../data/csv.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { csvFile, downloadFile } from '../../ui/download-file.ts'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { type ListQuery, loadAll, maxOfFile } from './downtime-data.ts'
import { stopsSheet, stopsTable } from './stops-table.ts'

interface DownloadProps {
  /** null: it is not loaded. */
  readonly list: ListQuery | null
  readonly nameOf: (machineId: string) => string
}

const formats = ['xlsx', 'csv'] as const

/** Buttons that download every stop of a list as a file, in the language of the page. */
export function DownloadStops({ list, nameOf }: DownloadProps) {
  const locale = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const [isCut, setCut] = useState(false)
  const { t, format } = locale
  const download = (fileFormat: (typeof formats)[number]) =>
    action.run(async () => {
      setCut(false)
      if (list === null) return
      const all = await loadAll(client, list)
      const table = stopsTable({ ...all, nameOf }, locale)
      const [from, to] = [list.start, list.end].map(instant => format.sortable(instant).slice(0, 10))
      const name = `${t.downtime.list}_${from}_${to}.${fileFormat}`
      if (fileFormat === 'csv') downloadFile(name, csvFile(csvOf(table, format.decimalMark)))
      else {
        const { workbookOf } = await import('../../data/workbook.ts')
        downloadFile(name, new Blob([workbookOf(stopsSheet(table, t))]))
      }
      setCut(all.stops.length >= maxOfFile)
    })
  return (
    <div class="presets">
      {formats.map(each => (
        <Button
          key={each}
          icon="download"
          text={t.reports[each]}
          title={t.downtime.download}
          disabled={list === null || action.isBusy}
          onClick={() => download(each)}
        />
      ))}
      <Failure error={action.error} />
      {isCut && (
        <p class="notice" role="status">
          {t.downtime.downloadIsCut(format.count(maxOfFile))}
        </p>
      )}
    </div>
  )
}
