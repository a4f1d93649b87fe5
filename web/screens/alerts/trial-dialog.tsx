import { useState } from 'preact/hooks'
import type { RuleTrial } from '../../../schema/requests/rule-trial.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { More } from '../../reports/more.tsx'
import type { Format } from '../../texts/format.ts'
import { useLocale } from '../../texts/locale.ts'
import type { DayRule } from '../../time/shop-date.ts'
import { weekdayOf } from '../../time/wall-time.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Await } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import type { RuleInput } from './rule-form.ts'
import type { RuleNames } from './rule-sentence.ts'
import { countByDate, noticesByTarget, trialRange } from './trial-summary.ts'

type TriedIncident = RuleTrial['incidents'][number]

interface DialogProps {
  /** Stored or not. */
  readonly rule: RuleInput
  readonly targets: RuleNames['targets']
  readonly onClose: () => void
}

/** The incidents that a rule would have opened in the last days, and the targets that it would have notified. */
export function TrialDialog({ rule, targets, onClose }: DialogProps) {
  const { t } = useLocale()
  const { client, company, startOfDay } = useViewer()
  const [range] = useState(() => trialRange({ timeZone: company.timeZone, startOfDay }, client.now()))
  const { start, end } = range
  const loaded = useLoad(() => client.call('POST /alert-rules/try', { body: { rule, start, end } }), [client])
  return (
    <Dialog title={t.alerts.trial.title(rule.name)} onClose={onClose}>
      <Await loaded={loaded}>
        {trial => (
          <>
            <Summary trial={trial} dates={range.dates} dayRule={{ timeZone: company.timeZone, startOfDay }} />
            {trial.incidents.length > 0 && <Messages trial={trial} targets={targets} />}
            {trial.incidents.length > 0 && <Incidents incidents={trial.incidents} targets={targets} />}
          </>
        )}
      </Await>
    </Dialog>
  )
}

interface SummaryProps {
  readonly trial: RuleTrial
  readonly dates: readonly string[]
  readonly dayRule: DayRule
}

function Summary({ trial: { incidents, hasMore, untriedMachines }, dates, dayRule }: SummaryProps) {
  const { t, format } = useLocale()
  const words = t.alerts.trial
  const machines = new Set(incidents.map(({ subject }) => subject.id)).size
  const days = countByDate(incidents, dates, dayRule)
  const most = Math.max(1, ...days.map(({ count }) => count))
  const isWhole = untriedMachines === 0
  const none = isWhole ? words.none : words.noneOnOthers
  const found = incidents.length === 0 ? none : words.found(format.count(incidents.length), format.count(machines))
  return (
    <>
      <p role="status">
        <strong>{isWhole ? found : words.untried(format.count(untriedMachines))}</strong> {!isWhole && found}{' '}
        {hasMore && words.hasMore}
      </p>
      <ol class="trial-days" aria-label={words.byDay}>
        {days.map(({ date, count }) => (
          <li key={date}>
            <span class="trial-bar" aria-hidden="true">
              <span style={{ height: `${(100 * count) / most}%` }} />
            </span>
            <b>{format.count(count)}</b>
            <time class="hint" dateTime={date} title={format.date(date)}>
              {(t.terms.weekdays[weekdayOf(date) - 1] ?? '').slice(0, 2)}
            </time>
          </li>
        ))}
      </ol>
    </>
  )
}

interface PartProps {
  readonly targets: RuleNames['targets']
}

function Messages({ trial: { incidents }, targets }: PartProps & { readonly trial: RuleTrial }) {
  const { t, format } = useLocale()
  const words = t.alerts.trial
  const byTarget = noticesByTarget(incidents.flatMap(({ notices }) => notices))
  const list = byTarget.map(({ targetId, count }) =>
    words.messages(targets.get(targetId) ?? targetId, format.count(count)),
  )
  return <p>{list.length === 0 ? words.noMessages : `${words.notified} ${list.join(', ')}.`}</p>
}

const shownFirst = 20

function Incidents({ incidents, targets }: PartProps & { readonly incidents: readonly TriedIncident[] }) {
  const { t, format } = useLocale()
  const words = t.alerts.trial
  const [shown, setShown] = useState(shownFirst)
  const hasNotices = incidents.some(({ notices }) => notices.length > 0)
  const columns = [
    { title: t.now.openedAt, class: 'when' as const, cell: ({ openedAt }: TriedIncident) => format.dateTime(openedAt) },
    { title: t.terms.machine, isHeader: true as const, cell: ({ subject }: TriedIncident) => subject.name },
    {
      title: t.terms.duration,
      class: 'figure-cell' as const,
      cell: ({ startedAt, endedAt }: TriedIncident) =>
        endedAt === null ? words.holds : format.duration(Date.parse(endedAt) - Date.parse(startedAt)),
    },
    ...(hasNotices
      ? [{ title: words.notices, cell: ({ notices }: TriedIncident) => noticesText(notices, targets, format) }]
      : []),
  ]
  const newestFirst = incidents.toReversed()
  return (
    <>
      <Table
        columns={columns}
        rows={newestFirst.slice(0, shown)}
        keyOf={({ subject, openedAt }) => `${subject.id} ${openedAt}`}
      />
      <More left={incidents.length - shown} onMore={() => setShown(shown + shownFirst)} />
    </>
  )
}

/** Targets with the time of their first notice, and the number of several: `Shift leaders 12:05 (3×)`. */
function noticesText(notices: TriedIncident['notices'], targets: RuleNames['targets'], format: Format): string {
  return noticesByTarget(notices)
    .map(({ targetId, at, count }) => {
      const times = count === 1 ? '' : ` (${count}×)`
      return `${targets.get(targetId) ?? targetId} ${format.clock(at)}${times}`
    })
    .join(', ')
}
