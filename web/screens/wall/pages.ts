import type { Section } from '../floor/arrange.ts'
import type { FloorMachine } from '../floor/floor-machine.ts'

/** Machines that the wall screen shows at a time, all of one group. */
export interface WallPage {
  readonly key: string
  readonly title: string
  readonly machines: readonly FloorMachine[]
}

/** Room for tiles, px. */
export interface Room {
  readonly width: number
  readonly height: number
}

/** Size of a tile at scale 1, its gap included. */
const tile = { width: 300, height: 164 }
const largestScale = 2.2

/** Cuts groups into pages: a group that does not fit on one has several, of about the same size. */
export function pagesOf(sections: readonly Section[], { width, height }: Room): readonly WallPage[] {
  const most = Math.max(1, Math.floor(width / tile.width)) * Math.max(1, Math.floor(height / tile.height))
  return sections.flatMap(({ key, title, machines }) => {
    const count = Math.ceil(machines.length / most)
    const size = Math.ceil(machines.length / count)
    return Array.from({ length: count }, (_, index) => ({
      key: `${key} ${index}`,
      title: count === 1 ? (title ?? '') : `${title ?? ''} ${index + 1}/${count}`,
      machines: machines.slice(index * size, (index + 1) * size),
    }))
  })
}

/** Number of columns with which the tiles are largest, and their scale. */
export function fitTiles(count: number, { width, height }: Room): { readonly columns: number; readonly scale: number } {
  let best = { columns: 1, scale: 0 }
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const rows = Math.ceil(count / columns)
    const scale = Math.min(width / columns / tile.width, height / rows / tile.height)
    if (scale > best.scale) best = { columns, scale }
  }
  return { columns: best.columns, scale: Math.min(largestScale, Math.max(1, best.scale)) }
}
