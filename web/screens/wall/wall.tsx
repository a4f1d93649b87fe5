import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useIsLost } from '../../data/use-is-lost.ts'
import { useViewer } from '../../data/viewer.ts'
import { Link, useAppLocation } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { ConnectionMark } from '../../ui/connection-mark.tsx'
import { Icon } from '../../ui/icon.tsx'
import { letterScale } from '../../ui/letter-scale.ts'
import { Logo } from '../../ui/logo.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { useNow } from '../../ui/use-now.ts'
import { floorViewOf, select } from '../floor/arrange.ts'
import type { FloorState } from '../floor/floor-data.ts'
import { levelOf } from '../floor/level.ts'
import { useFloor } from '../floor/use-floor.ts'
import { countedKind, fitTiles, inWallOrder, pagesOf, type Room, wallKinds, type WallMachine } from './pages.ts'
import { WallTile } from './wall-tile.tsx'

const usualSeconds = 15
const minSeconds = 3
/** Limit of the time that a page is shown: a timer has at most 24 days. */
const maxSeconds = 3_600
/** px of a screen on which nothing is enlarged. */
const usualScreen = { width: 1920, height: 1080 }
/** Durations, which have no seconds, are current to this much. */
const stepMs = 10_000

/** The floor for a screen on the wall: as many machines as are legible, stopped ones first. It never needs a hand. */
function Wall() {
  const { t } = useLocale()
  const { client } = useViewer()
  const { query } = useAppLocation()
  const group = query.get('group')
  const state = useFloor('shift', group)
  const isLost = useIsLost() || state.error !== null
  const size = useWindowSize()
  const wanted = Number(query.get('every') ?? usualSeconds) || usualSeconds
  const seconds = Math.min(maxSeconds, Math.max(minSeconds, wanted))
  const turn = useTurns(seconds * 1000)
  const nowMs = Math.floor(useNow(() => client.now()) / stepMs) * stepMs
  const machines = useMemo(
    () => inWallOrder(select(state.machines ?? [], floorViewOf(query)), nowMs),
    [state.machines, query, nowMs],
  )
  const enlarged = enlargedOf(size)
  const place = useRef<HTMLDivElement>(null)
  const room = useRoom(place, machines.length > 0)
  const pages = pagesOf(machines, room)
  const at = pages.length === 0 ? 0 : turn % pages.length
  const page = pages[at] ?? []
  const { columns, scale } = fitTiles(page.length, room)
  return (
    <main class="wall" style={{ '--enlarged': enlarged / letterScale() }}>
      <Head state={state} machines={machines} />
      {state.machines === null ? (
        state.error === null ? (
          <Loading />
        ) : (
          <Failure error={state.error} />
        )
      ) : machines.length > 0 ? (
        <div
          ref={place}
          class="wall-grid"
          role="list"
          data-lost={isLost}
          style={{ '--columns': columns, '--letters': `${scale}px` }}
        >
          {page.map(({ floor, kind }) => (
            <WallTile
              key={floor.machine.id}
              floor={floor}
              kind={kind}
              hasFigures={state.today !== null}
              nowMs={nowMs}
            />
          ))}
        </div>
      ) : (
        <Empty text={state.machines.length === 0 && group === null ? t.floor.empty : t.floor.nothing} />
      )}
      <Foot page={at + 1} pages={pages.length} seconds={seconds} />
    </main>
  )
}

interface HeadProps {
  readonly state: FloorState
  readonly machines: readonly WallMachine[]
}

function Head({ state, machines }: HeadProps) {
  const { t, format } = useLocale()
  const { client, company } = useViewer()
  const nowMs = useNow(() => client.now())
  const { today, sinceAt } = state
  return (
    <header class="wall-head">
      <Logo size={36} />
      <div class="wall-title">
        <h1>{company.name}</h1>
        <p>{sinceAt !== null && t.wall.since(format.clock(sinceAt))}</p>
      </div>
      <ul class="wall-counts">
        {wallKinds.map(kind => {
          const count = machines.filter(machine => countedKind(machine) === kind).length
          return (
            <li key={kind} data-kind={count > 0 ? kind : undefined}>
              <b>{format.count(count)}</b> {t.wall.kinds[kind]}
            </li>
          )
        })}
      </ul>
      <p class="wall-oee" data-level={levelOf(today?.oee, today?.oeeWarningThreshold, today?.oeeFailureThreshold)}>
        {t.floor.figures.oee} {today === null ? <span class="placeholder" /> : <b>{format.percent(today.oee)}</b>}
      </p>
      <div class="wall-clock">
        <time>{format.time(nowMs)}</time>
        <ConnectionMark error={state.error} isLive={state.isLive} isLoaded={state.machines !== null} />
      </div>
    </header>
  )
}

interface FootProps {
  readonly page: number
  readonly pages: number
  readonly seconds: number
}

function Foot({ page, pages, seconds }: FootProps) {
  const { t, format } = useLocale()
  return (
    <footer class="wall-foot">
      <p>{t.wall.legend}</p>
      {pages > 1 && (
        <p>
          {t.wall.page(format.count(page), format.count(pages))} · {t.wall.seconds(seconds)}
        </p>
      )}
      <Link to="" class="button quiet">
        <Icon name="close" size={16} />
        {t.wall.exit}
      </Link>
    </footer>
  )
}

/** A screen of more px than usual hangs as far away: head and foot are drawn larger, as on the usual one. */
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

/** The room in an element, which its content does not change; none until it is drawn. */
function useRoom(place: RefObject<HTMLDivElement | null>, isDrawn: boolean): Room {
  const [room, setRoom] = useState<Room>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const { current: element } = place
    if (element === null) return undefined
    const measure = () => setRoom({ width: element.clientWidth, height: element.clientHeight })
    const watch = new ResizeObserver(measure)
    watch.observe(element)
    measure()
    return () => watch.disconnect()
  }, [isDrawn])
  return room
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
