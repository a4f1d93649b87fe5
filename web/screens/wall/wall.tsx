import { useEffect, useState } from 'preact/hooks'
import { useViewer } from '../../data/viewer.ts'
import { Link, useAppLocation } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Icon } from '../../ui/icon.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { statusOrder } from '../../data/status.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { letterScale } from '../../ui/letter-scale.ts'
import { useNow } from '../../ui/use-now.ts'
import { arrangeMachines, countStatuses, select, floorViewOf } from '../floor/arrange.ts'
import { ConnectionMark } from '../floor/connection.tsx'
import type { FloorMachine } from '../floor/floor-machine.ts'
import { levelOf } from '../floor/level.ts'
import { Tile } from '../floor/tile.tsx'
import { useFloor } from '../floor/use-floor.ts'
import { fitTiles, pagesOf, type Room } from './pages.ts'

const usualSeconds = 15
const minSeconds = 3
/** Room that the tiles do not have, px. */
const edge = 48
const headAndFoot = 150
/** px of a screen on which nothing is enlarged. */
const usualScreen = { width: 1920, height: 1080 }

/** The floor for a screen on the wall: shows one group after the other, and never needs a hand. */
function Wall() {
  const { t, format } = useLocale()
  const { client, company } = useViewer()
  const { query } = useAppLocation()
  const state = useFloor()
  const size = useWindowSize()
  const seconds = Math.max(minSeconds, Number(query.get('every') ?? usualSeconds) || usualSeconds)
  const turn = useTurns(seconds * 1000)
  const nowMs = useNow(() => client.now())
  const view = floorViewOf(query)
  const machines = state.machines ?? []
  const sections = arrangeMachines(select(machines, view), view.by, { statuses: t.status, noGroup: t.floor.noGroup })
  const enlarged = enlargedOf(size)
  const room = { width: size.width / enlarged - edge, height: size.height / enlarged - headAndFoot }
  const zoom = enlarged / letterScale()
  const pages = pagesOf(sections, room)
  const at = pages.length === 0 ? 0 : turn % pages.length
  const page = pages[at]
  const { columns, scale } = fitTiles(page?.machines.length ?? 0, room)
  const oee = state.today?.oee
  return (
    <main class="wall" style={{ zoom, minHeight: `${size.height / zoom}px` }}>
      <header class="wall-head">
        <Logo size={36} />
        <h1>
          {company.name}
          {page && page.title !== '' && <span class="wall-title"> · {page.title}</span>}
        </h1>
        <Counts machines={machines} />
        <p
          class="wall-oee"
          data-level={levelOf(oee, state.today?.oeeWarningThreshold, state.today?.oeeFailureThreshold)}
        >
          {t.floor.figures.oee} <b>{format.percent(oee)}</b>
        </p>
        <p class="wall-clock">{format.time(nowMs)}</p>
      </header>
      {state.machines === null ? (
        state.error === null ? (
          <Loading />
        ) : (
          <Failure error={state.error} />
        )
      ) : page ? (
        <div class="wall-grid" role="list" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
          {page.machines.map(floor => (
            <div
              key={floor.machine.id}
              role="listitem"
              class="tile"
              data-status={floor.now.status}
              style={{ zoom: scale }}
            >
              <Tile floor={floor} nowMs={nowMs} />
            </div>
          ))}
        </div>
      ) : (
        <Empty text={machines.length === 0 ? t.floor.empty : t.floor.nothing} />
      )}
      <footer class="wall-foot">
        <ConnectionMark state={state} />
        {pages.length > 1 && (
          <p>
            {t.wall.page(format.count(at + 1), format.count(pages.length))} · {t.wall.seconds(seconds)}
          </p>
        )}
        <Link to="" class="button quiet">
          <Icon name="close" size={16} />
          {t.wall.exit}
        </Link>
      </footer>
    </main>
  )
}

function Counts({ machines }: { readonly machines: readonly FloorMachine[] }) {
  const { t, format } = useLocale()
  const counts = countStatuses(machines)
  return (
    <ul class="wall-counts">
      {statusOrder.map(status => (
        <li key={status} data-status={status}>
          <StatusMark status={status} size={22} /> <b>{format.count(counts.get(status) ?? 0)}</b> {t.status[status]}
        </li>
      ))}
    </ul>
  )
}

/** A screen of more px than usual hangs as far away: all of it is drawn larger, as on the usual one. */
function enlargedOf({ width, height }: Room): number {
  return Math.max(1, Math.min(width / usualScreen.width, height / usualScreen.height))
}

function useTurns(everyMs: number): number {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTurn(before => before + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return turn
}

function useWindowSize() {
  const read = () => ({ width: window.innerWidth, height: window.innerHeight })
  const [size, setSize] = useState(read)
  useEffect(() => {
    const changed = () => setSize(read())
    window.addEventListener('resize', changed)
    return () => window.removeEventListener('resize', changed)
  }, [])
  return size
}

export { Wall as screen }
