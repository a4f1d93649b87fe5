import { useState } from 'preact/hooks'
import { csvOf } from '../../data/csv.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { downloadCsv } from '../../ui/download-csv.ts'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { type ListQuery, loadAll, maxOfFile } from './downtime-data.ts'
import { stopsTable } from './stops-table.ts'

interface DownloadProps {
  readonly list: ListQuery
  readonly nameOf: (machineId: string) => string
}

/** A button that stores the whole list as a CSV file, in the language of the page. */
export function DownloadStops({ list, nameOf }: DownloadProps) {
  const locale = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const [isCut, setCut] = useState(false)
  const { t, format } = locale
  const download = () =>
    action.run(async () => {
      setCut(false)
      const all = await loadAll(client, list)
      const table = stopsTable({ ...all, nameOf }, locale)
      const [from, to] = [list.start, list.end].map(instant => format.sortable(instant).slice(0, 10))
      downloadCsv(`${t.downtime.list}_${from}_${to}.csv`, csvOf(table, format.decimalMark))
      setCut(all.stops.length >= maxOfFile)
    })
  return (
    <>
      <Button icon="download" text={t.downtime.download} disabled={action.isBusy} onClick={download} />
      <Failure error={action.error} />
      {isCut && (
        <p class="notice" role="status">
          {t.downtime.downloadIsCut(format.count(maxOfFile))}
        </p>
      )}
    </>
  )
}
