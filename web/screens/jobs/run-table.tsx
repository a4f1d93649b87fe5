import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { ShownRun } from './jobs-data.ts'

interface RunTableProps {
  readonly runs: readonly ShownRun[]
  readonly mayChange: boolean
  readonly onStop: (run: ShownRun) => void
  readonly onChanged: () => void
}

/** Runs with their progress, each with its actions. */
export function RunTable({ runs, mayChange, onStop, onChanged }: RunTableProps) {
  const { t, format } = useLocale()
  const words = t.jobs
  const { client } = useViewer()
  const action = useAction()
  const produce = ({ id }: ShownRun) =>
    action.run(async () => {
      await client.call('POST /erp/jobdispatch/production', { body: { erpJobOperationRunId: id } })
      onChanged()
    })
  const actions: Column<ShownRun> = {
    title: t.keys.actions,
    class: 'actions',
    cell: run => (
      <>
        {run.state === 'setup' && (
          <Button
            look="quiet"
            text={words.toProduction}
            aria-label={words.toProductionOf(run.job)}
            disabled={action.isBusy}
            onClick={() => produce(run)}
          />
        )}
        {isRunning(run) && (
          <Button look="quiet" text={words.stop} aria-label={words.stopOf(run.job)} onClick={() => onStop(run)} />
        )}
      </>
    ),
  }
  const columns: readonly Column<ShownRun>[] = [
    {
      title: t.terms.job,
      cell: ({ job, id }) => (
        <span class="job-name">
          {job}
          <span class="hint">{id}</span>
        </span>
      ),
    },
    { title: t.terms.machine, cell: ({ machine }) => machine },
    {
      title: t.terms.state,
      cell: run => (
        <span class="state" data-on={isRunning(run)}>
          {words[run.state]}
        </span>
      ),
    },
    { title: t.floor.figures.goodParts, cell: run => <Progress run={run} /> },
    { title: words.started, class: 'when', cell: ({ startAt }) => format.dateTime(startAt) },
    ...(runs.some(({ endAt }) => endAt !== null)
      ? [{ title: words.ended, class: 'when', cell: ({ endAt }: ShownRun) => format.dateTime(endAt) } as const]
      : []),
    ...(mayChange ? [actions] : []),
  ]
  return (
    <>
      <Failure error={action.error} />
      <Table look="compact loose" columns={columns} rows={runs} keyOf={({ id }) => id} />
    </>
  )
}

function isRunning({ state }: ShownRun): boolean {
  return state === 'setup' || state === 'production'
}

function Progress({ run: { goodParts, rejectedParts, plan } }: { readonly run: ShownRun }) {
  const { t, format } = useLocale()
  const words = t.jobs
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
