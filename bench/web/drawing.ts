import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** Runs in the page before its scripts: records when a canvas was drawn. */
const watch = `
  const { setTransform } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.setTransform = function (...args) {
    ;(window.drawnAt ??= []).push(performance.now())
    return setTransform.apply(this, args)
  }`

/** Makes the page record when it draws; the function below reads the times. */
export async function watchDrawing(page: Page): Promise<void> {
  await page.addInitScript(watch)
}

/** Selects a range of a timeline; resolves to the times from the click to the response, and until it is drawn. */
export async function timeOfSpan(
  page: Page,
  name: string,
): Promise<{ readonly answerMs: number; readonly drawnMs: number }> {
  await page.evaluate('performance.clearResourceTimings(); window.drawnAt = []; window.clickedAt = performance.now()')
  await page.evaluate(
    `[...document.querySelectorAll('.machine-bar .filter')].find(each => each.textContent === ${JSON.stringify(name)}).click()`,
  )
  const answer = `performance.getEntriesByType('resource').find(({ name }) => name.includes('/timeline?'))?.responseEnd`
  const answerMs = await read(page, `${answer} - clickedAt`)
  return { answerMs, drawnMs: await read(page, `drawnAt.find(at => at > ${answer}) - clickedAt`) }
}

/** Resolves to a number of the page as soon as it is available. */
async function read(page: Page, expression: string): Promise<number> {
  for (let tries = 0; tries < 600; tries++) {
    const value = await page.evaluate<unknown>(expression)
    if (typeof value === 'number' && Number.isFinite(value)) return value
    await sleep(50)
  }
  throw new Error(`The page has no ${expression}`)
}
