import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { Times } from '../reports/measure.ts'
import { groupSize, wallGroup } from './history.ts'

interface Screen {
  readonly name: string
  readonly path: string
  /** Expression in the page: whether the screen shows its values. */
  readonly isShown: string
  readonly viewport: { readonly width: number; readonly height: number }
}

const desk = { width: 1440, height: 900 }
const hasReport = `document.querySelector('.report:not([data-stale="true"]) .head .value')`
const hasTable = `document.querySelector('.report:not([data-stale="true"]) .breakdown tbody tr')`
const hasStops = `document.querySelector('.stops tbody tr') && document.querySelector('.figure .value')`
const hasShortStops = `document.querySelector('.stops tbody tr[data-kind="short"]')`
const hasTiles = (count: number) =>
  `document.querySelectorAll('.wall-tile').length === ${count} && !document.querySelector('.placeholder')`

/** The screens that are measured: each path is opened as a user opens a link. */
export const screens: readonly Screen[] = [
  { name: 'floor', path: '/?', isShown: `document.querySelector('button.tile')`, viewport: desk },
  { name: 'Performance of today', path: '/app/performance?period=today', isShown: hasReport, viewport: desk },
  { name: 'Performance of today: its table', path: '/app/performance?period=today', isShown: hasTable, viewport: desk },
  { name: 'Performance of a week', path: '/app/performance?period=days7', isShown: hasReport, viewport: desk },
  {
    name: 'Performance of a week: its table',
    path: '/app/performance?period=days7',
    isShown: hasTable,
    viewport: desk,
  },
  { name: 'Downtime of a week', path: '/app/downtime?period=days7', isShown: hasStops, viewport: desk },
  {
    name: 'Downtime of a week: its short stops',
    path: '/app/downtime?period=days7',
    isShown: hasShortStops,
    viewport: desk,
  },
  {
    name: `wall of ${groupSize} at 4K`,
    path: `/app/wall?group=${wallGroup}`,
    isShown: hasTiles(groupSize),
    viewport: { width: 3840, height: 2160 },
  },
]

/** Opens a screen repeatedly, in a page that is signed in; returns the times from the navigation to the frame with its values. */
export async function timeOfScreen(page: Page, url: string, screen: Screen, repeats: number): Promise<Times> {
  await page.setViewportSize(screen.viewport)
  const watch = await page.addInitScript(`{
    const look = () => requestAnimationFrame(() =>
      (${screen.isShown}) ? setTimeout(() => (window.shownMs = performance.now())) : look())
    look()
  }`)
  const times = new Times()
  for (let i = 0; i < repeats; i++) {
    await page.goto(`${url}${screen.path}&turn=${i}`)
    times.add(await shownMs(page))
  }
  await watch.dispose()
  return times
}

async function shownMs(page: Page): Promise<number> {
  for (let tries = 0; tries < 600; tries++) {
    const value = await page.evaluate<unknown>('window.shownMs')
    if (typeof value === 'number') return value
    await sleep(50)
  }
  throw new Error(`The page does not show its values: ${page.url()}`)
}
