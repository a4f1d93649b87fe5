import { useEffect, useState } from 'preact/hooks'
import type { Health } from '../../../../schema/requests/health.ts'
import type { DeadLettersAnswer } from '../../../../schema/requests/dead-letters.ts'
import { poll } from '../../../data/poll.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useViewer } from '../../../data/viewer-context.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Empty, Failure, Loading } from '../../../ui/notice.tsx'
import { RemoveDialog } from '../../../ui/remove-dialog.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { useSettingsTexts } from '../settings-texts.ts'

const everyMs = 3000

/** State of ingest and processing, rejected samples, and removal of the simulated plant. */
function System() {
  const own = useSettingsTexts().system
  return (
    <>
      <h2>{own.title}</h2>
      <p class="lead">{own.intro}</p>
      <Flow />
      <DeadLetters />
      <Demo />
    </>
  )
}

/** How far reports are behind, read again and again. */
function Flow() {
  const { format } = useLocale()
  const own = useSettingsTexts().system
  const { client } = useViewer()
  const [health, setHealth] = useState<Health | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  useEffect(() => {
    const read = async () => setHealth(await client.call('GET /health'))
    return poll(() => everyMs, setFailure, read)
  }, [client])
  const { value: work } = useLoad(() => client.call('GET /recomputes'), [client])
  if (health === null) return failure === null ? <Loading /> : <Failure error={failure} />
  const { lag, liveLag, backlog } = health
  const figures = [
    { title: own.state, value: own.states[health.status], hint: own.stateHints[health.status] },
    { title: own.liveLag, value: format.duration(liveLag.seconds * 1000), hint: own.liveLagHint },
    { title: own.lag, value: format.duration(lag.seconds * 1000), hint: own.records(format.count(lag.records)) },
    {
      title: own.backlog,
      value: own.hours(format.count(backlog.hours)),
      hint: own.days(format.count(backlog.days)),
    },
    {
      title: own.parts,
      value: own.up[health.log === 'ok' && health.clickhouse === 'ok' ? 'ok' : 'unavailable'],
      hint: own.partStates(own.up[health.log], own.up[health.clickhouse]),
    },
  ]
  const rebuilds = (work?.rebuilds ?? []).filter(({ finishedAt }) => finishedAt === null)
  return (
    <section aria-label={own.flow}>
      {failure !== null && <Failure error={failure} />}
      <dl class="system-figures">
        {figures.map(({ title, value, hint }) => (
          <div key={title} class="card">
            <dt>{title}</dt>
            <dd class="system-value">{value}</dd>
            <dd class="hint">{hint}</dd>
          </div>
        ))}
      </dl>
      {rebuilds.length > 0 && <p class="notice">{own.rebuilding(format.count(rebuilds.length))}</p>}
    </section>
  )
}

/** Rejected samples, by reason. */
function DeadLetters() {
  const { format } = useLocale()
  const own = useSettingsTexts().system
  const { client } = useViewer()
  const { value, error, reload } = useLoad(() => client.call('GET /dead-letters'), [client])
  // It stays when the reason, of which nothing may be left, has gone from the list.
  const [told, setTold] = useState('')
  return (
    <section class="system-letters" aria-labelledby="dead-letters">
      <div class="page-head">
        <h3 id="dead-letters">{own.deadLetters}</h3>
        <button type="button" class="button quiet" onClick={reload}>
          {own.again}
        </button>
      </div>
      <p class="hint">{own.deadLettersIntro}</p>
      <p role="status" class="done">
        {told}
      </p>
      {error !== null && <Failure error={error} onRetry={reload} />}
      {value === null ? (
        error === null && <Loading />
      ) : value.reasons.length === 0 ? (
        <Empty text={own.noDeadLetters} />
      ) : (
        value.reasons.map(each => (
          <Reason
            key={each.reason}
            of={each}
            onReplay={() => setTold('')}
            onReplayed={said => {
              setTold(said)
              reload()
            }}
            format={format}
          />
        ))
      )}
    </section>
  )
}

interface ReasonProps {
  readonly of: DeadLettersAnswer['reasons'][number]
  readonly onReplay: () => void
  readonly onReplayed: (said: string) => void
  readonly format: ReturnType<typeof useLocale>['format']
}

function Reason({ of: { reason, count, first, last, latest }, onReplay, onReplayed, format }: ReasonProps) {
  const own = useSettingsTexts().system
  const { client } = useViewer()
  const action = useAction()
  const replay = () =>
    action.run(async () => {
      onReplay()
      const { replayed, passedOver } = await client.call('POST /dead-letters/replay', { body: { reason } })
      onReplayed(own.replayed(format.count(replayed), format.count(passedOver)))
    })
  return (
    <article class="card">
      <div class="page-head">
        <h4>
          {own.reasons[reason].title} <span class="chip">{format.count(count)}</span>
        </h4>
        <button type="button" class="button" disabled={action.isBusy} onClick={replay}>
          {own.replay}
        </button>
      </div>
      <p>{own.reasons[reason].how}</p>
      <p class="hint">{own.span(format.dateTime(first), format.dateTime(last))}</p>
      {action.error !== null && <Failure error={action.error} />}
      <details>
        <summary>{own.latest}</summary>
        <ul class="letters">
          {latest.map(({ at, message, value }, index) => (
            <li key={`${at} ${index}`}>
              <p>
                <time dateTime={at}>{format.dateTime(at)}</time> · {message}
              </p>
              <pre tabIndex={0} role="region" aria-label={own.letter}>
                {value}
              </pre>
            </li>
          ))}
        </ul>
      </details>
    </article>
  )
}

/** Leaves the simulated plant, while there is one. */
function Demo() {
  const { format } = useLocale()
  const own = useSettingsTexts().system
  const { client } = useViewer()
  const [isAsking, setAsking] = useState(false)
  const [told, setTold] = useState('')
  const { value, reload } = useLoad(() => client.call('GET /demo'), [client])
  const leave = async () => {
    const { decommissioned, deleted } = await client.call('POST /demo/leave')
    setTold(own.demoLeft(format.count(decommissioned), format.count(deleted)))
    setAsking(false)
    reload()
  }
  if (!value || (value.machines === 0 && told === '')) return null
  return (
    <section class="card">
      <h3>{own.demo}</h3>
      <p role="status">{told === '' ? own.demoText(format.count(value.machines)) : told}</p>
      {value.machines > 0 && (
        <button type="button" class="button danger" onClick={() => setAsking(true)}>
          {own.leaveDemo}
        </button>
      )}
      {isAsking && (
        <RemoveDialog
          title={own.leaveDemoTitle}
          text={own.leaveDemoText}
          submit={own.leaveDemo}
          onClose={() => setAsking(false)}
          onRemove={leave}
        />
      )}
    </section>
  )
}

export { System as part }
