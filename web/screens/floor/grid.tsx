import type { RefObject } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { letterScale } from '../../ui/letter-scale.ts'
import { useNow } from '../../ui/use-now.ts'
import { useLocale } from '../../texts/locale.ts'
import type { Section, TileSize } from './arrange.ts'
import type { FloorMachine } from './floor-machine.ts'
import { layOut, type Line, lineOfTile, linesBetween, type Sizes } from './lay-out.ts'
import { Tile } from './tile.tsx'
import { type StateBar, useStateBars } from './use-state-bars.ts'

/** Sizes in px where letters are as large as usual. */
const sizes = {
  large: { tileWidth: 248, tileHeight: 150, headHeight: 44, gap: 12 },
  compact: { tileWidth: 168, tileHeight: 80, headHeight: 40, gap: 8 },
} as const satisfies Readonly<Record<TileSize, Omit<Sizes, 'width'>>>
/** Drawn above and below the view, so that scrolling does not uncover empty places. */
const overscan = 400

interface GridProps {
  readonly sections: readonly Section[]
  readonly size: TileSize
  readonly hasFigures: boolean
  readonly onOpen: (machineId: string) => void
  readonly now: () => number
}

/** The tiles of all machines. Only those in view exist; the arrow keys move from tile to tile. */
export function Grid({ sections, size, hasFigures, onOpen, now }: GridProps) {
  const { format } = useLocale()
  const container = useRef<HTMLDivElement>(null)
  const { width, view, look } = useView(container)
  const [current, setCurrent] = useState(0)
  const nowMs = useNow(now)
  const layout = useMemo(() => layOut(sections, { ...sizesNow(size), width }), [sections, size, width])
  useLayoutEffect(look, [look, layout])

  const all = sections.reduce((sum, { machines }) => sum + machines.length, 0)
  const focused = Math.min(current, all - 1)
  const move = (to: number) => {
    const target = Math.max(0, Math.min(to, all - 1))
    const line = lineOfTile(layout, target)
    if (!line || !container.current) return
    setCurrent(target)
    scrollTo(container.current, line)
    look()
    // The tile may be drawn only now.
    requestAnimationFrame(() => container.current?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: layout.columns,
      ArrowUp: -layout.columns,
      Home: -all,
      End: all,
    }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    move(focused + step)
  }
  const shown = linesBetween(layout, view.from, view.to)
  const bars = useStateBars(idsOf(shown))
  return (
    <div ref={container} class="grid" role="list" onKeyDown={onKeyDown} style={{ height: `${layout.height}px` }}>
      {shown.map(line =>
        line.kind === 'head' ? (
          <div key={`head ${line.section.key}`} class="grid-head" role="listitem" style={{ top: `${line.top}px` }}>
            <h3>
              {line.section.title} <span class="grid-count">{format.count(line.section.machines.length)}</span>
            </h3>
          </div>
        ) : (
          line.machines.map((floor, column) => (
            <Cell
              key={`${line.section.key} ${floor.machine.id}`}
              floor={floor}
              size={size}
              bar={bars.get(floor.machine.id) ?? null}
              hasFigures={hasFigures}
              nowMs={nowMs}
              index={line.first + column}
              all={all}
              isFocused={line.first + column === focused}
              position={positionOf(line, column, layout.columns, { width, gap: sizes[size].gap })}
              onFocus={setCurrent}
              onOpen={onOpen}
            />
          ))
        ),
      )}
    </div>
  )
}

/** Ids of the machines in lines. */
function idsOf(lines: readonly Line[]): readonly string[] {
  return lines.flatMap(line => (line.kind === 'tiles' ? line.machines.map(({ machine }) => machine.id) : []))
}

interface CellProps {
  readonly floor: FloorMachine
  readonly size: TileSize
  readonly bar: StateBar | null
  readonly hasFigures: boolean
  readonly nowMs: number
  readonly index: number
  readonly all: number
  readonly isFocused: boolean
  readonly position: Readonly<Record<'top' | 'left' | 'width' | 'height', string>>
  readonly onFocus: (index: number) => void
  readonly onOpen: (machineId: string) => void
}

function Cell({ floor, size, bar, hasFigures, nowMs, index, all, isFocused, position, onFocus, onOpen }: CellProps) {
  return (
    <div role="listitem" class="grid-cell" aria-setsize={all} aria-posinset={index + 1} style={position}>
      <button
        type="button"
        class="tile"
        data-status={floor.now.status}
        data-size={size}
        data-unscheduled={!floor.isScheduled}
        data-index={index}
        tabIndex={isFocused ? 0 : -1}
        onFocus={() => onFocus(index)}
        onClick={() => onOpen(floor.machine.id)}
      >
        <Tile floor={floor} isCompact={size === 'compact'} bar={bar} hasFigures={hasFigures} nowMs={nowMs} />
      </button>
    </div>
  )
}

/** Follows which part of the grid is in view (px from its top), and how wide it is; `look` measures at once. */
function useView(container: RefObject<HTMLDivElement | null>) {
  const [width, setWidth] = useState(0)
  const [view, setView] = useState({ from: 0, to: 0 })
  const look = useCallback(() => {
    const box = container.current?.getBoundingClientRect()
    if (!box) return
    setWidth(Math.floor(box.width))
    const from = Math.floor(-box.top / 100) * 100 - overscan
    const to = from + window.innerHeight + 2 * overscan + 100
    setView(before => (before.from === from && before.to === to ? before : { from, to }))
  }, [])
  useEffect(() => {
    let frame = 0
    const soon = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(look)
    }
    const observer = new ResizeObserver(soon)
    if (container.current) observer.observe(container.current)
    window.addEventListener('scroll', soon, { passive: true })
    window.addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
      window.removeEventListener('scroll', soon)
      window.removeEventListener('resize', soon)
    }
  }, [look])
  return { width, view, look }
}

function positionOf(
  { top, height }: Line,
  column: number,
  columns: number,
  { width, gap }: Pick<Sizes, 'width' | 'gap'>,
) {
  const tileWidth = (width - gap * (columns - 1)) / columns
  return {
    top: `${top}px`,
    left: `${column * (tileWidth + gap)}px`,
    width: `${tileWidth}px`,
    height: `${height - gap}px`,
  }
}

/** Scrolls as little as brings the line into view, below what sticks to the top. */
function scrollTo(container: HTMLElement, { top, height }: Line): void {
  const lineTop = container.getBoundingClientRect().top + top
  const margin = 80
  if (lineTop < margin) window.scrollBy(0, lineTop - margin)
  else if (lineTop + height > window.innerHeight) window.scrollBy(0, lineTop + height - window.innerHeight)
}

/** Sizes of the grid by the size of letters, which is larger on a very large screen. */
function sizesNow(size: TileSize): Omit<Sizes, 'width'> {
  const scale = letterScale()
  const { tileWidth, tileHeight, headHeight, gap } = sizes[size]
  return { tileWidth: tileWidth * scale, tileHeight: tileHeight * scale, headHeight: headHeight * scale, gap }
}
