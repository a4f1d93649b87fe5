import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pixelmatch from 'pixelmatch'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'

const kept = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
/** Ignored by git. */
const seen = fileURLToPath(new URL('../../dist/pictures/', import.meta.url))

/** With it the pictures are written anew instead of being compared. */
export const isWriting = process.env['TAKT_WRITE_PICTURES'] === '1'

/** Difference of a pixel's colour, 0 to 1, from which it counts as another one. */
const threshold = 0.15
/** Share of pixels that may be others: releases of Chromium and FreeType smooth edges in other ways. */
const tolerance = 0.004
const mostShots = 40

/**
 * Compares what a page shows with the kept picture of this name, or writes it (`TAKT_WRITE_PICTURES=1`). Answers null where they are alike, else a
 * sentence with the paths of what was seen and of the difference.
 */
export async function comparePicture(page: Page, name: string): Promise<string | null> {
  const shot = PNG.sync.read(await settledShot(page))
  const path = join(kept, `${name}.png`)
  if (isWriting) {
    mkdirSync(kept, { recursive: true })
    writeFileSync(path, encode(shot))
    return null
  }
  const picture = existsSync(path) ? PNG.sync.read(readFileSync(path)) : null
  mkdirSync(seen, { recursive: true })
  const seenPath = join(seen, `${name}.png`)
  if (picture?.width !== shot.width || picture.height !== shot.height) {
    writeFileSync(seenPath, encode(shot))
    return `${name}: there is no picture of this size; this was seen: ${seenPath}`
  }
  const { width, height } = shot
  const difference = new PNG({ width, height })
  const others = pixelmatch(picture.data, shot.data, difference.data, width, height, { threshold })
  const share = others / (width * height)
  if (share <= tolerance) return null
  const differencePath = join(seen, `${name}-difference.png`)
  writeFileSync(seenPath, encode(shot))
  writeFileSync(differencePath, encode(difference))
  return `${name}: ${(100 * share).toFixed(2)} % of the pixels differ; seen: ${seenPath}, difference: ${differencePath}`
}

/** A picture that did not change any more: two in a row are equal. */
async function settledShot(page: Page): Promise<Buffer> {
  let before: Buffer | null = null
  for (let shots = 0; shots < mostShots; shots++) {
    const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' })
    if (before?.equals(shot)) return shot
    before = shot
  }
  throw new Error(`The page did not come to rest: ${page.url()}`)
}

/** Without an alpha channel and packed as small as it goes. */
function encode(picture: PNG): Buffer {
  return PNG.sync.write(picture, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 })
}
