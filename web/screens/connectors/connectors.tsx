import { useState } from 'preact/hooks'
import type { ConnectorResponse } from '../../../schema/records/connector.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { ConnectorUpdate } from '../../../schema/requests/live.ts'
import { usePolled } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { RemoveDialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Await, Empty, Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { useNow } from '../../ui/use-now.ts'
import { skewText } from '../connect/skew-text.ts'

const everyMs = 3_000

/** The connectors: state, rate, lag, losses, buffer and last error. */
function Connectors() {
  const { t } = useLocale()
  const { client } = useViewer()
  const loaded = usePolled(everyMs, async () => {
    const [connectors, machines] = await Promise.all([client.call('GET /connectors'), client.call('GET /machines')])
    return { connectors, machines }
  }, [client])
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t.screens.connectors}</h1>
        <Link to="app/connect" class="button primary">
          {t.screens.connect}
        </Link>
      </header>
      <Await loaded={loaded}>
        {({ connectors, machines }) =>
          connectors.length === 0 ? (
            <Empty text={t.source.none} />
          ) : (
            <ul class="connectors">
              {connectors.map(connector => (
                <li key={connector.id}>
                  <ConnectorCard connector={connector} machines={machines} onChanged={loaded.reload} />
                </li>
              ))}
            </ul>
          )
        }
      </Await>
    </div>
  )
}

interface CardProps {
  readonly connector: ConnectorResponse
  readonly machines: readonly MachineListItem[]
  readonly onChanged: () => void
}

function ConnectorCard({ connector, machines, onChanged }: CardProps) {
  const locale = useLocale()
  const { t, format } = locale
  const viewer = useViewer()
  const nowMs = useNow(() => viewer.client.now())
  const { id, name, kind, address, state, since, unavailableSince, lastError, enabled, skewMs, warnings } = connector
  const ago = (at: string) => format.duration(nowMs - Date.parse(at))
  const isDown = state !== 'connected' && state !== 'catching_up' && enabled
  const begin = unavailableSince ?? since
  const own = machines.filter(({ connection }) => connection.connectorId === id)
  const faultsOf = ({ connection, missing }: MachineListItem) => {
    const text = skewText(connection.skewMs, locale)
    const clock = text === null ? '' : t.source.clock.ofMachine(text)
    return [missing?.includes('state') === true ? t.source.noState : '', clock]
  }
  return (
    <article class="card connector" data-down={isDown} data-off={!enabled} id={id} aria-labelledby={`${id}-name`}>
      <header class="connector-head">
        <h2 id={`${id}-name`}>{name}</h2>
        <span class="state-chip" data-state={state}>
          {t.source.states[state]}
        </span>
        {begin !== null && <span class="hint">{t.source.connectors.since(ago(begin))}</span>}
      </header>
      <p class="hint">
        {t.source.kinds[kind]}
        {address !== null && (
          <>
            {' '}
            · <code>{address}</code>
          </>
        )}
      </p>
      {lastError !== null && (
        <p class={isDown ? 'notice problem' : 'notice'}>
          <strong>{t.source.connectors.lastError}</strong> {t.source.message(lastError.message)}{' '}
          <span class="hint">{t.source.connectors.ago(ago(lastError.at))}</span>
        </p>
      )}
      {warnings.map(({ code, timeOffsetMs }) => (
        <p key={code} class="notice">
          {t.source.clock.ofSource}: {skewText(skewMs, locale)}. {t.source.clock.correctSource(String(timeOffsetMs))}
        </p>
      ))}
      <Numbers connector={connector} nowMs={nowMs} />
      {enabled && <LastGap gap={connector.lastGap} />}
      <p class="connector-machines">
        {own.map(machine => (
          <Link key={machine.id} to="app/machine" query={{ machine: machine.id }} class="chip">
            {[machine.name, ...faultsOf(machine)].filter(Boolean).join(' · ')}
          </Link>
        ))}
      </p>
      {hasScope(viewer, 'connector') && <Actions connector={connector} onChanged={onChanged} />}
    </article>
  )
}

type Health = Pick<ConnectorUpdate, 'totals' | 'buffer' | 'observationsPerSecond' | 'owner' | 'skewMs'> &
  Pick<ConnectorResponse, 'lastSamples' | 'kind' | 'enabled'>

function Numbers({ connector, nowMs }: { readonly connector: Health; readonly nowMs: number }) {
  const locale = useLocale()
  const { t, format } = locale
  const words = t.source.connectors
  const { totals, buffer, observationsPerSecond, lastSamples, owner, kind, enabled, skewMs } = connector
  if (kind === 'http' || !enabled) return null
  if (owner === null) return <p class="notice problem">{words.noOwner}</p>
  const newestMs = Math.max(...lastSamples.map(({ at }) => Date.parse(at)))
  const { gaps = 0, lost = 0 } = totals ?? {}
  const facts = [
    [words.rate, format.number(observationsPerSecond, 1)],
    [words.lag, Number.isFinite(newestMs) ? words.ago(format.duration(nowMs - newestMs)) : t.none],
    [words.gaps, lost > 0 ? `${format.count(gaps)} · ${words.lost(format.count(lost))}` : format.count(gaps)],
    [words.buffer, buffer === null ? t.none : words.buffered(format.count(buffer.samples))],
    [words.reconnects, format.count(totals?.reconnects)],
    [t.source.clock.ofSource, skewMs === null ? null : (skewText(skewMs, locale) ?? t.source.clock.right)],
  ] as const
  return <Facts facts={facts} />
}

/** When the last loss that cannot be repaired began, its duration, and the lost values. */
function LastGap({ gap }: { readonly gap: ConnectorResponse['lastGap'] }) {
  const { t, format } = useLocale()
  if (gap === null) return null
  const words = t.source.connectors
  const durationMs = Date.parse(gap.to) - Date.parse(gap.from)
  return (
    <p>
      <strong>{words.lastGap}</strong> {words.gapOf(format.dateTime(gap.from), format.duration(durationMs))} ·{' '}
      {gap.lost === null ? words.lostUnknown : words.lost(format.count(gap.lost))}
    </p>
  )
}

function Actions({ connector, onChanged }: Pick<CardProps, 'connector' | 'onChanged'>) {
  const { t } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const [isRemoving, setRemoving] = useState(false)
  const { id, name, kind, address, enabled, sourceId, machines, rules, options } = connector
  const turn = async () => {
    const body = { name, kind, address, enabled: !enabled, sourceId, machines, rules, options }
    await client.call('PUT /connectors/:id', { params: { id }, body })
    onChanged()
  }
  return (
    <>
      <div class="connector-actions">
        <Link to="app/connect" query={{ connector: id }} class="button" aria-label={t.source.toRulesOf(name)}>
          {t.source.toRules}
        </Link>
        <Button
          text={enabled ? t.records.turnOff : t.records.turnOn}
          of={name}
          disabled={action.isBusy}
          onClick={() => action.run(turn)}
        />
        <Button look="quiet" text={t.records.remove} of={name} onClick={() => setRemoving(true)} />
      </div>
      <Failure error={action.error} />
      {isRemoving && (
        <RemoveDialog
          title={t.records.removeNamed(name)}
          text={t.source.connectors.removeText}
          submit={t.records.remove}
          onClose={() => setRemoving(false)}
          onRemove={async () => {
            await client.call('DELETE /connectors/:id', { params: { id } })
            setRemoving(false)
            onChanged()
          }}
        />
      )}
    </>
  )
}

export { Connectors as screen }
