import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { assert } from 'chai'
import { type Browser, chromium, type Page } from 'playwright-core'
import { noteSkipped } from './skipped.ts'

/** The browser as users have it. */
const wholeBrowser = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
/** Takes less CPU time, and has no notifications. */
const headlessShell = '/usr/bin/chromium-headless-shell'
const isShellPreferred = process.env['CHROMIUM'] === undefined && existsSync(headlessShell)

/** `page`: enough for pages; `whole`: also has notifications. */
export type BrowserKind = 'page' | 'whole'

/** Starts the browser for all tests of a file; skips them if there is no browser. */
export async function openChromium(context: Mocha.Context, kind: BrowserKind = 'page'): Promise<Browser> {
  const executablePath = kind === 'page' && isShellPreferred ? headlessShell : wholeBrowser
  if (!existsSync(executablePath)) {
    noteSkipped('tests of the pages', `install Chromium, or name it in CHROMIUM (none at ${executablePath})`)
    context.skip()
  }
  return launchChromium(executablePath)
}

/** Limit of a wait for the page, ms: the machine of the tests can be busy. */
const pageTimeoutMs = 120_000

/** Starts a browser; rejects if there is none. */
export async function launchChromium(executablePath: string = wholeBrowser): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async settings => {
    const context = await newContext(settings)
    context.setDefaultTimeout(pageTimeoutMs)
    return context
  }
  return browser
}

/** Records every error of a page, and each request to another host. `expected`: errors that the test itself causes. */
export function watchPage(page: Page, url: string, expected: RegExp = /^$/): string[] {
  const problems: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !expected.test(message.text())) problems.push(message.text())
  })
  page.on('pageerror', error => problems.push(String(error)))
  page.on('request', request => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      problems.push(`asked for ${request.url()}`)
  })
  return problems
}

/** Sets the clock of a page, which then ignores the Date header: it has the time of this computer. */
export async function fixClock(page: Page, nowMs: number): Promise<void> {
  await page.addInitScript(`{
    const { get } = Headers.prototype
    Headers.prototype.get = function (name) { return name.toLowerCase() === 'date' ? null : get.call(this, name) }
  }`)
  await page.clock.setFixedTime(nowMs)
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Omits the rules that a screen satisfies: the tests do not read them. */
const options = { runOnly: standards, resultTypes: ['violations'] }

/** Fails if the page breaks a rule of WCAG 2.2 AA, and names the elements. */
export async function assertAccessible(page: Page, screen: string): Promise<void> {
  assert.deepEqual(await brokenRules(page), [], screen)
}

async function brokenRules(page: Page): Promise<readonly string[]> {
  // Evaluated, not loaded: the page's policy allows no other script.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
  return page.evaluate<readonly string[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
       violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`,
  )
}

/** For each size, a screen is loaded in the first theme and then changed to the second. */
const sizes = {
  phone: { viewport: { width: 390, height: 844 }, themes: ['light', 'dark'] },
  desk: { viewport: { width: 1440, height: 900 }, themes: ['dark', 'light'] },
} as const

/** Charts apply another theme in the next frame. */
const twoFrames = 'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))'

/** Adds tests in light and dark, each on a phone and a desktop: no screen breaks a rule of WCAG 2.2 AA or scrolls sideways. */
export function testLooks(
  page: () => Page,
  screens: readonly (readonly [path: string, title: string])[],
  open: (path: string, title: string) => Promise<void>,
): void {
  for (const [size, { viewport, themes }] of Object.entries(sizes)) {
    let looks: Promise<Looks> | null = null
    const look = async () => {
      const found: Looks = { light: [], dark: [] }
      await page().setViewportSize(viewport)
      for (const [path, title] of screens)
        for (const theme of themes) {
          await page().emulateMedia({ colorScheme: theme })
          if (theme === themes[0]) await open(path, title)
          else await page().evaluate(twoFrames)
          found[theme].push(...(await brokenRules(page())).map(rule => `${title} ${rule}`))
          if (await isWide(page())) found[theme].push(`${title} is wide`)
        }
      return found
    }
    for (const theme of themes)
      it(`No screen breaks a rule of WCAG 2.2 AA or scrolls sideways in ${theme} on a ${size}`, async () => {
        const found = await (looks ??= look())
        assert.deepEqual(found[theme], [])
      })
  }
}

/** Broken rules of the screens in each theme. */
type Looks = Readonly<Record<'light' | 'dark', string[]>>

/** Fails if the page scrolls sideways. */
export async function assertNotWide(page: Page, screen: string): Promise<void> {
  assert.isFalse(await isWide(page), screen)
}

function isWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
}

/** Moves the focus through the page by Tab. Fails if the focus is invisible or trapped, or if the page has few focusable elements. */
export async function assertWalkable(page: Page, screen: string): Promise<void> {
  const places = new Set<number>()
  for (let step = 0; ; step++) {
    assert.isBelow(step, 600, `${screen} holds the focus`)
    await page.keyboard.press('Tab')
    const { place, isSeen, name } = await focused(page)
    if (place < 0) break
    assert.isTrue(isSeen, `${screen}: no focus is seen at ${name}`)
    // A redrawn part can shift an index; two steps never stay at the same one.
    places.add(place)
  }
  assert.isAbove(places.size, 15, screen)
}

interface Focused {
  /** Index among all elements of the page; -1: no element has the focus. */
  readonly place: number
  readonly isSeen: boolean
  readonly name: string
}

function focused(page: Page): Promise<Focused> {
  return page.evaluate<Focused>(`(() => {
    const it = document.activeElement
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(it)
    const { width, height } = it.getBoundingClientRect()
    const isMarked = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
    const place = it === document.body ? -1 : [...document.querySelectorAll('*')].indexOf(it)
    return { place, isSeen: isMarked && width > 0 && height > 0, name: it.outerHTML.slice(0, 160) }
  })()`)
}
