import { useState } from 'preact/hooks'
import { usePolled } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { RemoveDialog } from '../../ui/dialog.tsx'
import { Toggles } from '../../ui/toggles.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { loadJobs, type ShownRun } from './jobs-data.ts'
import { RunTable } from './run-table.tsx'
import { StartDialog } from './start-dialog.tsx'

const everyMs = 5000

type Open = { readonly kind: 'start' | 'import' } | { readonly kind: 'stop'; readonly run: ShownRun }

/** Number of rows that are drawn at first, and that the button adds. */
const pageLength = 300

/** Runs of jobs with their progress and actions. */
function Jobs() {
  const { t, format } = useLocale()
  const words = t.jobs
  const viewer = useViewer()
  const [query, change] = useQuery()
  const shown = query.get('show') === 'recent' ? 'recent' : 'running'
  const [most, setMost] = useState(pageLength)
  const {
    value: data,
    error,
    reload,
  } = usePolled(everyMs, () => loadJobs(viewer, { show: shown, most }), [viewer, shown, most])
  const [open, setOpen] = useState<Open | null>(null)
  const mayChange = hasScope(viewer, 'erp')
  const close = () => setOpen(null)
  const done = () => {
    close()
    reload()
  }
  return (
    <div class="page jobs-part">
      <div class="page-head">
        <h1>{t.screens.jobs}</h1>
        {mayChange && (
          <div class="head-buttons">
            <Button text={words.import} onClick={() => setOpen({ kind: 'import' })} />
            <Button
              look="primary"
              icon="plus"
              text={words.start}
              disabled={data === null}
              onClick={() => setOpen({ kind: 'start' })}
            />
          </div>
        )}
      </div>
      <Toggles
        label={words.runs}
        value={shown}
        options={(['running', 'recent'] as const).map(value => ({ value, title: words[value] }))}
        onValue={show => {
          setMost(pageLength)
          change({ show: show === 'running' ? null : show })
        }}
      />
      <Failure error={error} />
      {data?.show !== shown ? (
        error === null && <Loading />
      ) : data.runs.length === 0 ? (
        <Empty text={data.hasRun ? words.noneRunning : words.empty} />
      ) : (
        <RunTable
          runs={data.runs}
          mayChange={mayChange}
          onStop={run => setOpen({ kind: 'stop', run })}
          onChanged={done}
        />
      )}
      {data?.show === shown && data.hasMore && (
        <div class="presets">
          <p class="hint" role="status">
            {words.newest(format.count(data.runs.length))}
          </p>
          <Button text={t.records.showMore} onClick={() => setMost(data.runs.length + pageLength)} />
        </div>
      )}
      {open?.kind === 'start' && data !== null && <StartDialog data={data} onClose={close} onStarted={done} />}
      {open?.kind === 'import' && <ImportDialog onClose={close} onImported={reload} />}
      {open?.kind === 'stop' && (
        <RemoveDialog
          title={words.stopTitle(open.run.job)}
          text={words.stopText}
          submit={words.stop}
          onClose={close}
          onRemove={async () => {
            const body = { erpJobOperationRunId: open.run.id }
            await viewer.client.call('POST /erp/jobdispatch/stop', { body })
            done()
          }}
        />
      )}
    </div>
  )
}

export { Jobs as screen }
