import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pixelmatch from 'pixelmatch'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'

const kept = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
/** Ignored by git. */
const seen = fileURLToPath(new URL('../../dist/pictures/', import.meta.url))

/** If set, the pictures are rewritten instead of compared. */
export const isWriting = process.env['TAKT_WRITE_PICTURES'] === '1'

/** Minimum colour difference, 0 to 1, of a pixel that counts as different. */
const threshold = 0.15
/** Allowed share of different pixels: releases of Chromium and FreeType smooth edges differently. */
const tolerance = 0.004
const maxShots = 40

/**
 * Compares a page with the stored picture of this name, or writes it (`TAKT_WRITE_PICTURES=1`). Returns null if they are equal, otherwise a
 * sentence with the paths of the new picture and of the difference.
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
  const compare = (drawn?: Buffer) => pixelmatch(picture.data, shot.data, drawn, width, height, { threshold })
  const share = compare() / (width * height)
  if (share <= tolerance) return null
  const difference = new PNG({ width, height })
  compare(difference.data)
  const differencePath = join(seen, `${name}-difference.png`)
  writeFileSync(seenPath, encode(shot))
  writeFileSync(differencePath, encode(difference))
  return `${name}: ${(100 * share).toFixed(2)} % of the pixels differ; seen: ${seenPath}, difference: ${differencePath}`
}

/** A stable picture: two in a row are equal. */
async function settledShot(page: Page): Promise<Buffer> {
  let before: Buffer | null = null
  for (let shots = 0; shots < maxShots; shots++) {
    const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' })
    if (before?.equals(shot)) return shot
    before = shot
  }
  throw new Error(`The page did not come to rest: ${page.url()}`)
}

/** Encodes without an alpha channel, at the highest compression. */
function encode(picture: PNG): Buffer {
  return PNG.sync.write(picture, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 })
}
