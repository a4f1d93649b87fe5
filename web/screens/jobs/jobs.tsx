import { useEffect, useState } from 'preact/hooks'
import { holds } from '../../data/viewer.ts'
import { poll } from '../../data/poll.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { useQuery } from '../../router/router.ts'
import { useLocale } from '../../texts/locale.ts'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { RemoveDialog } from '../../ui/remove-dialog.tsx'
import { loadSettingsTexts, SettingsTextsContext, useSettingsTexts } from '../settings/settings-texts.ts'
import { ImportDialog } from './import-dialog.tsx'
import { type JobsData, loadJobs, type ShownRun } from './jobs-data.ts'
import { RunTable } from './run-table.tsx'
import { StartDialog } from './start-dialog.tsx'

const everyMs = 5000

/** Runs of jobs with their progress, and what can be done with them. */
function Jobs() {
  const { language } = useLocale()
  const { value: texts, error, reload } = useLoad(() => loadSettingsTexts(language), [language])
  if (texts === null) return error === null ? <Loading /> : <Failure error={error} onRetry={reload} />
  return (
    <SettingsTextsContext.Provider value={texts}>
      <Runs />
    </SettingsTextsContext.Provider>
  )
}

type Open =
  { readonly kind: 'start' | 'import' } | { readonly kind: 'stop'; readonly run: ShownRun; readonly job: string }

/** Rows that are drawn at first, and those that are added to them. */
const pageLength = 300

function Runs() {
  const { t } = useLocale()
  const words = useSettingsTexts().jobs
  const viewer = useViewer()
  const [query, change] = useQuery()
  const shown = query.get('show') === 'recent' ? 'recent' : 'running'
  const [most, setMost] = useState(pageLength)
  const { data, failure, reload } = usePolledJobs(shown, most)
  const [open, setOpen] = useState<Open | null>(null)
  const mayChange = holds(viewer, 'erp')
  const close = () => setOpen(null)
  const done = () => {
    close()
    reload()
  }
  return (
    <div class="page jobs-part">
      <div class="page-head">
        <h1>{t.screens.jobs}</h1>
        {mayChange && <HeadButtons mayStart={data !== null} onOpen={kind => setOpen({ kind })} />}
      </div>
      <div class="filters" role="group" aria-label={words.runs}>
        {(['running', 'recent'] as const).map(show => (
          <button
            key={show}
            type="button"
            class="filter"
            aria-pressed={shown === show}
            onClick={() => {
              setMost(pageLength)
              change({ show: show === 'running' ? null : show })
            }}
          >
            {words[show]}
          </button>
        ))}
      </div>
      {failure !== null && <Failure error={failure} />}
      {data?.show !== shown ? (
        failure === null && <Loading />
      ) : data.runs.length === 0 ? (
        <Empty text={data.hasRun ? words.noneRunning : words.empty} />
      ) : (
        <RunTable
          runs={data.runs}
          mayChange={mayChange}
          onStop={(run, job) => setOpen({ kind: 'stop', run, job })}
          onChanged={done}
        />
      )}
      {data?.show === shown && data.hasMore && (
        <MoreRuns count={data.runs.length} onMore={() => setMost(data.runs.length + pageLength)} />
      )}
      {open?.kind === 'start' && data !== null && <StartDialog data={data} onClose={close} onStarted={done} />}
      {open?.kind === 'import' && <ImportDialog onClose={close} onImported={reload} />}
      {open?.kind === 'stop' && <StopDialog run={open.run} job={open.job} onClose={close} onStopped={done} />}
    </div>
  )
}

/** Reads the runs now and then, and at once after a change. */
function usePolledJobs(show: JobsData['show'], most: number) {
  const viewer = useViewer()
  const [data, setData] = useState<JobsData | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isOver = false
    const end = poll(
      () => everyMs,
      setFailure,
      async () => {
        const read = await loadJobs(viewer, { show, most })
        // An answer from before a change must not take the place of one from after it.
        if (!isOver) setData(read)
      },
    )
    return () => {
      isOver = true
      end()
    }
  }, [viewer, turn, show, most])
  return { data, failure, reload: () => setTurn(before => before + 1) }
}

interface HeadButtonsProps {
  readonly mayStart: boolean
  readonly onOpen: (kind: 'start' | 'import') => void
}

function HeadButtons({ mayStart, onOpen }: HeadButtonsProps) {
  const words = useSettingsTexts().jobs
  return (
    <div class="head-buttons">
      <button type="button" class="button" onClick={() => onOpen('import')}>
        {words.import}
      </button>
      <button type="button" class="button primary" disabled={!mayStart} onClick={() => onOpen('start')}>
        <Icon name="plus" size={16} />
        {words.start}
      </button>
    </div>
  )
}

/** Shows the number of listed runs, with a button for more. */
function MoreRuns({ count, onMore }: { readonly count: number; readonly onMore: () => void }) {
  const { format } = useLocale()
  const { jobs: words, showMore } = useSettingsTexts()
  return (
    <div class="presets">
      <p class="hint" role="status">
        {words.newest(format.count(count))}
      </p>
      <button type="button" class="button" onClick={onMore}>
        {showMore}
      </button>
    </div>
  )
}

interface StopDialogProps {
  readonly run: ShownRun
  readonly job: string
  readonly onClose: () => void
  readonly onStopped: () => void
}

function StopDialog({ run, job, onClose, onStopped }: StopDialogProps) {
  const words = useSettingsTexts().jobs
  const { client } = useViewer()
  return (
    <RemoveDialog
      title={words.stopTitle(job)}
      text={words.stopText}
      submit={words.stop}
      onClose={onClose}
      onRemove={async () => {
        await client.call('POST /erp/jobdispatch/stop', { body: { erpJobOperationRunId: run.id } })
        onStopped()
      }}
    />
  )
}

export { Jobs as screen }
