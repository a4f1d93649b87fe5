import { useViewer } from '../../data/viewer-context.ts'
import { useLocale } from '../../texts/locale.ts'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { useSettingsTexts } from '../settings/settings-texts.ts'
import type { ShownRun } from './jobs-data.ts'

interface RunTableProps {
  readonly runs: readonly ShownRun[]
  readonly mayChange: boolean
  readonly onStop: (run: ShownRun, job: string) => void
  readonly onChanged: () => void
}

/** Runs with their progress, and what can be done with each. */
export function RunTable({ runs, mayChange, onStop, onChanged }: RunTableProps) {
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
