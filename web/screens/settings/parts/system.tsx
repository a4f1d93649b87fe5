import { useState } from 'preact/hooks'
import type { DeadLettersResponse } from '../../../../schema/requests/dead-letters.ts'
import { useLoad, usePolled } from '../../../data/use-load.ts'
import { useViewer } from '../../../data/viewer.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Button } from '../../../ui/button.tsx'
import { Await, Empty, Failure, Loading } from '../../../ui/notice.tsx'
import { RemoveDialog } from '../../../ui/dialog.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { Problems } from './problems.tsx'

const everyMs = 3000

/** State of ingest and processing, rejected samples, and removal of the simulated plant. */
function System() {
  const words = useLocale().t.settings
  return (
    <>
      <h2>{words.parts.system}</h2>
      <p class="lead">{words.system.intro}</p>
      <Flow />
      <DeadLetters />
      <Demo />
    </>
  )
}

function Flow() {
  const { t, format } = useLocale()
  const own = t.settings.system
  const { client } = useViewer()
  const { value, error } = usePolled(everyMs, async () => {
    const [health, readiness] = await Promise.all([client.call('GET /health'), client.call('GET /health/ready')])
    return { health, readiness }
  }, [client])
  const { value: work } = useLoad(() => client.call('GET /recomputes'), [client])
  if (value === null) return error === null ? <Loading /> : <Failure error={error} />
  const { health } = value
  const { lag, liveLag, backlog } = health
  const figures = [
    { title: t.terms.state, value: own.states[health.status], hint: own.stateHints[health.status] },
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
    <section class="system-flow" aria-label={own.flow}>
      <Failure error={error} />
      <dl class="system-figures">
        {figures.map(({ title, value: figure, hint }) => (
          <div key={title} class="card">
            <dt>{title}</dt>
            <dd class="system-value">{figure}</dd>
            <dd class="hint">{hint}</dd>
          </div>
        ))}
      </dl>
      <Problems {...value} />
      {rebuilds.length > 0 && <p class="notice">{own.rebuilding(format.count(rebuilds.length))}</p>}
    </section>
  )
}

function DeadLetters() {
  const own = useLocale().t.settings.system
  const { client } = useViewer()
  const loaded = useLoad(() => client.call('GET /dead-letters'), [client])
  // The result stays when its reason is no longer in the list.
  const [result, setResult] = useState('')
  return (
    <section class="system-letters" aria-labelledby="dead-letters">
      <div class="page-head">
        <h3 id="dead-letters">{own.deadLetters}</h3>
        <Button look="quiet" text={own.again} onClick={loaded.reload} />
      </div>
      <p class="hint">{own.deadLettersIntro}</p>
      <p role="status" class="done">
        {result}
      </p>
      <Await loaded={loaded}>
        {({ reasons }) =>
          reasons.length === 0 ? (
            <Empty text={own.noDeadLetters} />
          ) : (
            <>
              {reasons.map(each => (
                <Reason
                  key={each.reason}
                  of={each}
                  onReplay={() => setResult('')}
                  onReplayed={text => {
                    setResult(text)
                    loaded.reload()
                  }}
                />
              ))}
            </>
          )
        }
      </Await>
    </section>
  )
}

interface ReasonProps {
  readonly of: DeadLettersResponse['reasons'][number]
  readonly onReplay: () => void
  readonly onReplayed: (result: string) => void
}

function Reason({ of: { reason, count, first, last, latest }, onReplay, onReplayed }: ReasonProps) {
  const { t, format } = useLocale()
  const own = t.settings.system
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
        <Button text={own.replay} disabled={action.isBusy} onClick={replay} />
      </div>
      <p>{own.reasons[reason].how}</p>
      <p class="hint">{own.span(format.dateTime(first), format.dateTime(last))}</p>
      <Failure error={action.error} />
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

/** Removes the simulated plant, if there is one. */
function Demo() {
  const { t, format } = useLocale()
  const own = t.settings.system
  const { client } = useViewer()
  const [isOpen, setOpen] = useState(false)
  const [result, setResult] = useState('')
  const { value, reload } = useLoad(() => client.call('GET /demo'), [client])
  const leave = async () => {
    const { decommissioned, deleted } = await client.call('POST /demo/leave')
    setResult(own.demoLeft(format.count(decommissioned), format.count(deleted)))
    setOpen(false)
    reload()
  }
  if (!value || (value.machines === 0 && result === '')) return null
  return (
    <section class="card">
      <h3>{own.demo}</h3>
      <p role="status">{result === '' ? own.demoText(format.count(value.machines)) : result}</p>
      {value.machines > 0 && <Button text={own.leaveDemo} onClick={() => setOpen(true)} />}
      {isOpen && (
        <RemoveDialog
          title={own.leaveDemoTitle}
          text={own.leaveDemoText}
          submit={own.leaveDemo}
          onClose={() => setOpen(false)}
          onRemove={leave}
        />
      )}
    </section>
  )
}

export { System as screen }
