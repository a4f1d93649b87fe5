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
import { useAction } from '../../ui/use-action.ts'
import { loadSettingsTexts, SettingsTextsContext, useSettingsTexts } from '../settings/settings-texts.ts'
import { ImportDialog } from './import-dialog.tsx'
import { type JobsData, loadJobs, type ShownRun } from './jobs-data.ts'
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
  const { t, format } = useLocale()
  const { jobs: words, showMore } = useSettingsTexts()
  const viewer = useViewer()
  const { client } = viewer
  const [query, change] = useQuery()
  const shown = query.get('show') === 'recent' ? 'recent' : 'running'
  const [most, setMost] = useState(pageLength)
  const [data, setData] = useState<JobsData | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [turn, setTurn] = useState(0)
  const [open, setOpen] = useState<Open | null>(null)
  const mayChange = holds(viewer, 'erp')
  useEffect(() => {
    let isOver = false
    const end = poll(
      () => everyMs,
      setFailure,
      async () => {
        const read = await loadJobs(viewer, { show: shown, most })
        // An answer from before a change must not take the place of one from after it.
        if (!isOver) setData(read)
      },
    )
    return () => {
      isOver = true
      end()
    }
  }, [viewer, turn, shown, most])
  const close = () => setOpen(null)
  const done = () => {
    close()
    setTurn(before => before + 1)
  }
  return (
    <div class="page jobs-part">
      <div class="page-head">
        <h1>{t.screens.jobs}</h1>
        {mayChange && (
          <div class="head-buttons">
            <button type="button" class="button" onClick={() => setOpen({ kind: 'import' })}>
              {words.import}
            </button>
            <button
              type="button"
              class="button primary"
              disabled={data === null}
              onClick={() => setOpen({ kind: 'start' })}
            >
              <Icon name="plus" size={16} />
              {words.start}
            </button>
          </div>
        )}
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
        <div class="presets">
          <p class="hint" role="status">
            {words.newest(format.count(data.runs.length))}
          </p>
          <button type="button" class="button" onClick={() => setMost(data.runs.length + pageLength)}>
            {showMore}
          </button>
        </div>
      )}
      {open?.kind === 'start' && data !== null && <StartDialog data={data} onClose={close} onStarted={done} />}
      {open?.kind === 'import' && <ImportDialog onClose={close} onImported={() => setTurn(turn + 1)} />}
      {open?.kind === 'stop' && (
        <RemoveDialog
          title={words.stopTitle(open.job)}
          text={words.stopText}
          submit={words.stop}
          onClose={close}
          onRemove={async () => {
            await client.call('POST /erp/jobdispatch/stop', { body: { erpJobOperationRunId: open.run.id } })
            done()
          }}
        />
      )}
    </div>
  )
}

interface RunTableProps {
  readonly runs: readonly ShownRun[]
  readonly mayChange: boolean
  readonly onStop: (run: ShownRun, job: string) => void
  readonly onChanged: () => void
}

function RunTable({ runs, mayChange, onStop, onChanged }: RunTableProps) {
  const { t, format } = useLocale()
  const words = useSettingsTexts().jobs
  const { client } = useViewer()
  const action = useAction()
  const produce = ({ id }: ShownRun) =>
    action.run(async () => {
      await client.call('POST /erp/jobdispatch/production', { body: { erpJobOperationRunId: id } })
      onChanged()
    })
  return (
    <>
      {action.error !== null && <Failure error={action.error} />}
      <table class="table compact loose">
        <thead>
          <tr>
            <th scope="col">{words.job}</th>
            <th scope="col">{words.machine}</th>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.progress}</th>
            <th scope="col">{words.started}</th>
            <th scope="col">{words.end}</th>
            {mayChange && <th scope="col">{t.keys.actions}</th>}
          </tr>
        </thead>
        <tbody>
          {runs.map(run => (
            <tr key={run.id}>
              <th scope="row">
                <span class="job-name">
                  {run.job}
                  <span class="hint">{run.id}</span>
                </span>
              </th>
              <td data-label={words.machine}>{run.machine}</td>
              <td data-label={words.state}>
                <span class="state" data-on={isRunning(run)}>
                  {words[run.state]}
                </span>
              </td>
              <td data-label={words.progress}>
                <Progress run={run} />
              </td>
              <td class="when" data-label={words.started}>
                {format.dateTime(run.startAt)}
              </td>
              <td class="when" data-label={words.end}>
                {format.dateTime(run.endAt)}
              </td>
              {mayChange && (
                <td class="actions">
                  {run.state === 'setup' && (
                    <button
                      type="button"
                      class="button quiet"
                      aria-label={words.toProductionOf(run.job)}
                      disabled={action.isBusy}
                      onClick={() => produce(run)}
                    >
                      {words.toProduction}
                    </button>
                  )}
                  {isRunning(run) && (
                    <button
                      type="button"
                      class="button quiet danger"
                      aria-label={words.stopOf(run.job)}
                      onClick={() => onStop(run, run.job)}
                    >
                      {words.stop}
                    </button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function isRunning({ state }: ShownRun): boolean {
  return state === 'setup' || state === 'production'
}

function Progress({ run: { goodParts, rejectedParts, plan } }: { readonly run: ShownRun }) {
  const { format } = useLocale()
  const words = useSettingsTexts().jobs
  const share = plan === null || plan === 0 || goodParts === null ? null : goodParts / plan
  return (
    <span class="job-progress">
      <span>{plan === null ? format.count(goodParts) : words.ofPlan(format.count(goodParts), format.count(plan))}</span>
      {share !== null && (
        <progress
          max={1}
          value={Math.min(1, Math.max(0, share))}
          aria-label={words.progressOf(format.percent(share, 0))}
        />
      )}
      <span class="hint">
        {share === null ? words.noPlan : format.percent(share, 0)}
        {rejectedParts !== null && rejectedParts > 0 && ` · ${words.rejects(format.count(rejectedParts))}`}
      </span>
    </span>
  )
}

export { Jobs as screen }
