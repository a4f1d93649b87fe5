import type { FloorMachine } from './floor-machine.ts'
import type { Section } from './arrange.ts'

/** Sizes of the grid in px. */
export interface Sizes {
  readonly width: number
  readonly tileWidth: number
  readonly tileHeight: number
  readonly headHeight: number
  readonly gap: number
}

/** A line of the grid: a heading, or a row of tiles. */
export type Line = { readonly top: number; readonly height: number } & (
  | { readonly kind: 'head'; readonly section: Section }
  | {
      readonly kind: 'tiles'
      readonly section: Section
      readonly machines: readonly FloorMachine[]
      readonly first: number
    }
)

/** Where everything is: of thousands of machines only the lines in view are drawn. */
interface Layout {
  readonly columns: number
  readonly height: number
  readonly lines: readonly Line[]
}

/** So much wider than usual tiles become where no section has as many as there are columns. */
const maxStretch = 1.7

/** Lays sections out in as many columns as there is room for; in fewer where all of them have fewer tiles. */
export function layOut(sections: readonly Section[], { width, tileWidth, tileHeight, headHeight, gap }: Sizes): Layout {
  const columnsOf = (tile: number) => Math.max(1, Math.floor((width + gap) / (tile + gap)))
  const longest = sections.reduce((most, { machines }) => Math.max(most, machines.length), 1)
  const columns = Math.min(columnsOf(tileWidth), Math.max(longest, columnsOf(tileWidth * maxStretch)))
  const lines: Line[] = []
  let top = 0
  let first = 0
  for (const section of sections) {
    if (section.title !== null) {
      lines.push({ kind: 'head', section, top, height: headHeight })
      top += headHeight
    }
    for (let at = 0; at < section.machines.length; at += columns) {
      const machines = section.machines.slice(at, at + columns)
      lines.push({ kind: 'tiles', section, machines, first, top, height: tileHeight + gap })
      top += tileHeight + gap
      first += machines.length
    }
  }
  return { columns, height: top, lines }
}

/** Lines that are at least partly between two heights. */
export function linesBetween({ lines }: Layout, from: number, to: number): readonly Line[] {
  let low = 0
  let high = lines.length
  while (low < high) {
    const middle = (low + high) >> 1
    const line = lines[middle]
    if (line && line.top + line.height <= from) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < lines.length && (lines[end]?.top ?? Infinity) < to) end += 1
  return lines.slice(low, end)
}

/** The line that has the tile with this number, counted over all sections. */
export function lineOfTile({ lines }: Layout, index: number): (Line & { readonly kind: 'tiles' }) | null {
  for (const line of lines)
    if (line.kind === 'tiles' && index >= line.first && index < line.first + line.machines.length) return line
  return null
}
