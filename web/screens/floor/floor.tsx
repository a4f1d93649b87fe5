import { useCallback, useMemo, useState } from 'preact/hooks'
import { useIsLost } from '../../data/use-is-lost.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { Link, useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { ConnectionMark } from '../../ui/connection-mark.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Failure } from '../../ui/notice.tsx'
import { dayAgeMs } from '../../time/shop-date.ts'
import { arrangeMachines, select, floorViewOf } from './arrange.ts'
import { Figures } from './figures.tsx'
import type { FloorMachine } from './floor-machine.ts'
import { Grid } from './grid.tsx'
import { MachineCard } from './machine-card.tsx'
import { Toolbar } from './toolbar.tsx'
import { useFloor } from './use-floor.ts'

/** Until then, figures of a day say little. */
const youngDayMs = 30 * 60_000

/** Every machine as a live tile, with the company's figures of today. */
function Floor() {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const state = useFloor('today')
  const isLost = useIsLost() || state.error !== null
  const { company, startOfDay, client } = viewer
  const isYoung = dayAgeMs(client.now(), { timeZone: company.timeZone, startOfDay }) < youngDayMs
  return (
    <div class="page">
      <div class="page-head">
        <div class="floor-head">
          <h1>{t.screens.floor}</h1>
          <ConnectionMark error={state.error} isLive={state.isLive} isLoaded={state.machines !== null} />
        </div>
        <Link to="app/wall" class="button quiet">
          <Icon name="wall" size={16} />
          {t.screens.wall}
        </Link>
      </div>
      <section aria-labelledby="today-title">
        <div class="section-head">
          <h2 id="today-title">{t.floor.today}</h2>
          {state.date !== '' && <p class="hint">{t.floor.shopDay(format.date(state.date), company.timeZone)}</p>}
          {isYoung && <p class="hint">{t.floor.early}</p>}
        </div>
        <Figures today={state.today} isLoading={state.sinceAt === null && state.error === null} />
      </section>
      {state.machines !== null ? (
        <Machines machines={state.machines} isLost={isLost} hasFigures={state.sinceAt !== null} />
      ) : state.error !== null ? (
        <Failure error={state.error} />
      ) : (
        <TilePlaceholders />
      )}
    </div>
  )
}

/** Number of tiles that stand for the machines until they are loaded. */
const placeholders = 12

function TilePlaceholders() {
  const { t } = useLocale()
  return (
    <div class="tile-placeholders">
      <p class="unseen" role="status">
        {t.app.loading}
      </p>
      {Array.from({ length: placeholders }, (_, index) => (
        <div key={index} class="tile" aria-hidden="true">
          <span class="placeholder" />
          <span class="placeholder" />
        </div>
      ))}
    </div>
  )
}

interface MachinesProps {
  readonly machines: readonly FloorMachine[]
  /** Whether the metrics of today are loaded. */
  readonly hasFigures: boolean
  readonly isLost: boolean
}

function Machines({ machines, isLost, hasFigures }: MachinesProps) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const [query, change] = useQuery()
  const view = useMemo(() => floorViewOf(query), [query])
  const sections = useMemo(
    () => arrangeMachines(select(machines, view), view.by, { statuses: t.floor.statuses, noGroup: t.floor.noGroup }),
    [machines, view, t],
  )
  const shown = useMemo(() => select(machines, view).length, [machines, view])
  const now = useCallback(() => viewer.client.now(), [viewer])
  const [isOpen, setOpen] = useState(false)
  const filters = [view.words !== '', view.status !== null, view.groupId !== null].filter(Boolean).length
  const opened = machines.find(({ machine }) => machine.id === query.get('machine'))
  if (machines.length === 0)
    return (
      <Empty text={t.floor.empty}>
        {hasScope(viewer, 'machine') && (
          <Link to="app/connect" class="button primary">
            {t.floor.emptyHow}
          </Link>
        )}
      </Empty>
    )
  return (
    <section class="floor-machines" data-lost={isLost} aria-labelledby="machines-title">
      <div class="section-head">
        <h2 id="machines-title">{t.reports.filters.machine}</h2>
        <p class="hint" role="status">
          {shown === machines.length ? '' : t.floor.count(format.count(shown), format.count(machines.length))}
        </p>
        <Button
          look="quiet toolbar-button"
          icon="settings"
          text={t.floor.filters(filters === 0 ? '' : format.count(filters))}
          aria-expanded={isOpen}
          aria-controls="floor-toolbar"
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      <Toolbar machines={machines} view={view} isOpen={isOpen} onChange={change} />
      {shown === 0 && (
        <Empty text={t.floor.nothing}>
          <Button text={t.reports.clearAll} onClick={() => change({ q: null, status: null, group: null })} />
        </Empty>
      )}
      <Grid
        sections={sections}
        size={view.size}
        hasFigures={hasFigures}
        now={now}
        onOpen={machine => change({ machine })}
      />
      {opened && <MachineCard floor={opened} hasFigures={hasFigures} onClose={() => change({ machine: null })} />}
    </section>
  )
}

export { Floor as screen }
